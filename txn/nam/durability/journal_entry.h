// Entry of a journal: a transaction writes it down before it installs.
//
//   header (40 B) | snapshot, padded to 8 B | for each record: JournalRecord, then its new payload,
//   padded to 8 B, if it was not erased | checksum (8 B)
//
// A snapshot is given by what it has more than that of the thread's entry before, or than nothing:
// pairs of variable-length numbers, how many slots are passed over, and how many commits the next
// one has more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/bounded_reader.h"
#include "txn/nam/records/layout.h"
#include "txn/stamp.h"
#include "txn/system.h"

namespace verbena::txn::nam {

struct JournalHeader {
  std::uint32_t bytes = 0;  ///< of the entry
  std::uint32_t records = 0;
  Stamp stamp;                       ///< what it commits
  std::uint64_t owner = 0;           ///< the lock word of its records
  std::uint32_t before = 0;          ///< where in the ring the entry before begins; 0: nowhere
  std::uint32_t snapshot_bytes = 0;  ///< without the padding
  std::uint32_t whole_snapshot = 1;  ///< 1: told from nothing; 0: from that of the entry before
  std::uint32_t reserved = 0;
};
static_assert(sizeof(JournalHeader) == 40);

/// A record that is to be installed.
struct JournalRecord {
  Key key = 0;
  std::uint64_t entry = 0;
  std::uint64_t replaced = 0;  ///< the version before
  std::uint32_t installs = 0;  ///< of the version before
  PartitionId partition = 0;
  TableId table = 0;
  Flag erased = false;

  RecordName name() const { return {.table = table, .partition = partition, .key = key}; }
};
static_assert(sizeof(JournalRecord) == 32);

/// The checksum that an entry ends in, over all before it, whose bytes are a multiple of 8.
std::uint64_t journal_checksum(std::span<const std::byte> bytes);

/// Fills memory with an entry.
class JournalEntryWriter {
 public:
  /// The most bytes that an entry of such a transaction takes.
  static std::size_t most_bytes(const Layout& layout, const TransactionLimits& limits);

  /// `memory` has room for all that follows and is 8 B aligned. `base`: the snapshot of the entry
  /// before, or empty.
  JournalEntryWriter(std::span<std::byte> memory, const JournalHeader& header,
                     std::span<const std::uint32_t> snapshot, std::span<const std::uint32_t> base);

  void add(const JournalRecord& record, std::span<const std::byte> payload);

  /// The whole entry.
  std::span<const std::byte> finish();

 private:
  void put(const void* from, std::size_t bytes);

  std::span<std::byte> memory_;
  JournalHeader header_;
  std::size_t used_ = 0;
};

/// An entry that was read.
class JournalEntry {
 public:
  /// Nothing if this is not a whole entry: cut off, torn, or overwritten in parts. Throws Malformed
  /// for one that is whole, but of records that the layout does not have. `layout` is that of who
  /// wrote it; `memory` must outlive what is returned.
  static std::optional<JournalEntry> parse(std::span<const std::byte> memory, const Layout& layout);

  struct Record {
    JournalRecord record;
    std::span<const std::byte> payload;  ///< empty where it was erased
  };

  const JournalHeader& header() const { return header_; }
  const std::vector<Record>& records() const { return records_; }
  /// `base`: the snapshot of the entry before; of no importance where the header says so. Throws
  /// Malformed when it has more slots.
  std::vector<std::uint32_t> snapshot(std::span<const std::uint32_t> base, std::size_t slots) const;

 private:
  void take_apart(std::span<const std::byte> content, const Layout& layout);

  JournalHeader header_;
  std::span<const std::byte> snapshot_;
  std::vector<Record> records_;
};

}  // namespace verbena::txn::nam
