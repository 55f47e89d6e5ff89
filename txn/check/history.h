// What transactions read and wrote, for checking a run afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "txn/store/lock_word.h"
#include "txn/table.h"

namespace verbena::txn {

/// One access of a transaction: the version that it read, and the one that it wrote, if it did.
/// Versions count the changes of the record's entry, also those to and from absence; a record that
/// was erased and inserted again may be in another entry, whose count is its own.
struct HistoryAccess {
  RecordName record;
  std::uint32_t entry = 0;
  bool read_absent = false;
  std::uint64_t read_version = 0;
  std::uint64_t written_version = 0;  ///< 0: only read
};

/// One attempt of a transaction. Its accesses are History::accesses()[first_access, first_access +
/// accesses).
struct HistoryEntry {
  LockOwner owner;
  std::uint64_t sequence = 0;
  bool committed = false;
  Nanoseconds begin = 0;  ///< of the attempt: not after its first access took effect
  Nanoseconds end = 0;    ///< when it was decided
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

/// Checks that the committed transactions are serializable: that every version of a record was
/// written by at most one of them and read only after it was written by one (or loaded), and that
/// the direct serialization graph by versions (write-write, write-read and read-write edges) has no
/// cycle. Returns one line that describes the first violation, or nothing.
std::optional<std::string> serializability_violation(const History& history);

/// Checks besides that the order may be one in which every transaction comes after all that had
/// ended when it began (strict serializability). Only for histories whose times are of one clock.
std::optional<std::string> strict_serializability_violation(const History& history);

}  // namespace verbena::txn
