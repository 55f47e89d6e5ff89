// Reads and writes of transactions, for checking a run afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/time.h"
#include "txn/schema/table.h"
#include "txn/store/lock_word.h"

namespace verbena::txn {

/// One access of a transaction: the version that it read, and the one that it wrote, if any.
/// Versions count the changes of the record's entry, also those to and from absence. A record that
/// was erased and inserted again may be in another entry, with a count of its own.
struct HistoryAccess {
  RecordName record;
  std::uint32_t entry = 0;
  bool read_absent = false;
  std::uint64_t read_version = 0;
  std::uint64_t written_version = 0;  ///< 0: it only read
};

/// One attempt of a transaction. Its accesses are History::accesses()[first_access, first_access +
/// accesses).
struct HistoryEntry {
  LockOwner owner;
  std::uint64_t sequence = 0;
  bool committed = false;
  Nanoseconds begin = 0;  ///< of the attempt: at the latest when its first access took effect
  Nanoseconds end = 0;    ///< time of its decision
  std::uint64_t first_access = 0;
  std::uint32_t accesses = 0;
};

/// The attempts of one worker, or, appended together, of a run. Not thread-safe.
class History {
 public:
  void add(HistoryEntry entry, std::span<const HistoryAccess> accesses);
  void append(const History& other);

  const std::vector<HistoryEntry>& entries() const { return entries_; }
  std::span<const HistoryAccess> accesses(const HistoryEntry& entry) const {
    return std::span(accesses_).subspan(entry.first_access, entry.accesses);
  }

 private:
  std::vector<HistoryEntry> entries_;
  std::vector<HistoryAccess> accesses_;
};

}  // namespace verbena::txn
