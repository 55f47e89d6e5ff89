// Entry of a journal, which a transaction writes before it installs.
//
//   header (40 B) | snapshot, padded to 8 B | for each record: JournalRecord, then its new payload,
//   padded to 8 B, if it was not erased | checksum (8 B)
//
// A snapshot is encoded as its increase over that of the previous entry, or over zeros: pairs of
// variable-length numbers, the slots skipped and the commits added to the next slot.
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
  Stamp stamp;                       ///< commit that the entry is of
  std::uint64_t owner = 0;           ///< the lock word of its records
  std::uint32_t before = 0;          ///< position of the previous entry in the ring; 0: none
  std::uint32_t snapshot_bytes = 0;  ///< without the padding
  std::uint32_t whole_snapshot = 1;  ///< 1: encoded from zeros; 0: from the previous snapshot
  std::uint32_t reserved = 0;
};
static_assert(sizeof(JournalHeader) == 40);

/// Record to install.
struct JournalRecord {
  Key key = 0;
  std::uint64_t entry = 0;
  std::uint64_t replaced = 0;  ///< version that is replaced
  std::uint32_t installs = 0;  ///< `installs` of that version
  PartitionId partition = 0;
  TableId table = 0;
  Flag erased = false;

  RecordName name() const { return {.table = table, .partition = partition, .key = key}; }
};
static_assert(sizeof(JournalRecord) == 32);

/// Checksum that ends an entry, over all bytes before it, a multiple of 8.
std::uint64_t journal_checksum(std::span<const std::byte> bytes);

/// Fills memory with an entry.
class JournalEntryWriter {
 public:
  /// Most bytes that an entry of a transaction within these limits takes.
  static std::size_t most_bytes(const Layout& layout, const TransactionLimits& limits);

  /// `memory` is 8 B aligned and has room for the whole entry. `base`: the snapshot of the previous
  /// entry, or empty.
  JournalEntryWriter(std::span<std::byte> memory, const JournalHeader& header,
                     std::span<const std::uint32_t> snapshot, std::span<const std::uint32_t> base);

  void add(const JournalRecord& record, std::span<const std::byte> payload);

  /// Completes the entry and returns all of it.
  std::span<const std::byte> finish();

 private:
  void put(const void* from, std::size_t bytes);

  std::span<std::byte> memory_;
  JournalHeader header_;
  std::size_t used_ = 0;
};

/// Entry that was read.
class JournalEntry {
 public:
  /// Parses an entry; returns nothing for one that is cut off, torn or partly overwritten. Throws
  /// Malformed for a whole entry with records that `layout`, the writer's, does not have. `memory`
  /// must outlive the result.
  static std::optional<JournalEntry> parse(std::span<const std::byte> memory, const Layout& layout);

  struct Record {
    JournalRecord record;
    std::span<const std::byte> payload;  ///< empty if the record was erased
  };

  const JournalHeader& header() const { return header_; }
  const std::vector<Record>& records() const { return records_; }
  /// Decodes the snapshot. `base`: the snapshot of the previous entry, ignored if the header says
  /// whole. Throws Malformed when it has more than `slots` slots.
  std::vector<std::uint32_t> snapshot(std::span<const std::uint32_t> base, std::size_t slots) const;

 private:
  void take_apart(std::span<const std::byte> content, const Layout& layout);

  JournalHeader header_;
  std::span<const std::byte> snapshot_;
  std::vector<Record> records_;
};

}  // namespace verbena::txn::nam
