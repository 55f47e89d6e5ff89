// Format of the records that transactions write into logs of backups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/types.h"
#include "txn/schema/table.h"

namespace verbena::txn {

/// Beginning of a log record. A record is contiguous in its ring:
///
///   LogHeader | written partitions (2 B each, padded to 8) | updates | LogTrailer
///
/// and an update is LogUpdate | payload, padded to 8. A record is valid if its length at the
/// beginning equals the one at the end, its position is that of this place in this lap of the ring,
/// and its checksum holds. A record of which only some cache lines have arrived is not valid.
///
/// For recovery it tells its writer (the lock word that the transaction's locks carry), its
/// transaction, and the partitions in which the transaction wrote. That committed if all backups of
/// all these partitions hold its records.
struct LogHeader {
  enum class Kind : std::uint8_t { kUpdates = 1, kPadding = 2 };

  std::uint32_t bytes;  ///< whole record, a multiple of 8
  std::uint16_t updates;
  Kind kind;  ///< kPadding: `bytes` to skip, nothing follows the first 8 B
  std::uint8_t partitions;
  std::uint64_t position;  ///< in the stream of all bytes ever written to this ring
  std::uint64_t owner;     ///< lock word
  std::uint64_t sequence;  ///< of the transaction at its coordinating fiber
};
static_assert(sizeof(LogHeader) == 32);

struct LogUpdate {
  Key key;
  std::uint64_t version;  ///< the new one
  std::uint32_t entry;
  PartitionId partition;
  TableId table;
  std::uint8_t reserved;
};
static_assert(sizeof(LogUpdate) == 24);

struct LogTrailer {
  std::uint64_t checksum;  ///< over everything before it but the position, which differs from ring
                           ///< to ring
  std::uint32_t reserved;
  std::uint32_t bytes;  ///< as in the header
};
static_assert(sizeof(LogTrailer) == 16);

constexpr std::uint32_t padded_to_words(std::uint32_t bytes) { return (bytes + 7) / 8 * 8; }

/// Bytes of a record without its updates.
constexpr std::uint32_t log_frame_bytes(std::uint32_t partitions) {
  return sizeof(LogHeader) + padded_to_words(partitions * 2) + sizeof(LogTrailer);
}

/// Bytes that one update adds.
constexpr std::uint32_t log_update_bytes(std::uint32_t payload_bytes) {
  return sizeof(LogUpdate) + padded_to_words(payload_bytes);
}

/// Bytes of the beginning of a record, and of all that is read of a padding.
constexpr std::uint64_t kLogWordBytes = 8;

/// Returns the bytes to read of the record or padding that begins with the kLogWordBytes at `word`.
std::uint32_t log_bytes_to_read(const std::byte* word);

/// Composes a record in private memory that is 8 B aligned and large enough.
class LogRecordWriter {
 public:
  LogRecordWriter(std::byte* memory, std::uint64_t position, std::uint64_t owner,
                  std::uint64_t sequence, std::span<const PartitionId> partitions);

  void add(const LogUpdate& update, std::span<const std::byte> payload);

  /// Writes lengths and checksum. Returns the record's size in bytes.
  std::uint32_t finish();

 private:
  std::byte* begin_;
  std::byte* end_;
  LogHeader header_{};
};

/// Returns the first word of a padding of `bytes`, which fills a ring up to its end.
std::uint64_t log_padding_word(std::uint32_t bytes);

/// A record in a ring's memory, which must not change while it is read.
class LogRecordReader {
 public:
  /// Returns the record, or padding, at the beginning of `memory`, if it is valid and at
  /// `position`.
  static std::optional<LogRecordReader> parse(std::span<const std::byte> memory,
                                              std::uint64_t position);

  /// True if `memory` begins with the header of a record with updates at `position`, be it valid or
  /// not.
  static bool begins(std::span<const std::byte> memory, std::uint64_t position);

  const LogHeader& header() const { return header_; }
  bool padding() const { return header_.kind == LogHeader::Kind::kPadding; }
  std::span<const std::byte> partitions() const { return partitions_; }

  /// Calls visit(const LogUpdate&, const std::byte* payload) for each update;
  /// `payload_bytes(table)` tells a table's payload size. Throws Malformed where payloads do not
  /// fill the record.
  template <typename PayloadBytes, typename Visit>
  void for_each(PayloadBytes&& payload_bytes, Visit&& visit) const;

 private:
  LogHeader header_{};
  std::span<const std::byte> partitions_;
  std::span<const std::byte> updates_;
};

/// Returns the checksum over the first `bytes` (a multiple of 8) of the record at `memory`, as if
/// its position was 0.
std::uint64_t log_checksum(const std::byte* memory, std::uint32_t bytes);

template <typename PayloadBytes, typename Visit>
void LogRecordReader::for_each(PayloadBytes&& payload_bytes, Visit&& visit) const {
  BoundedReader rest(updates_);
  for (unsigned i = 0; i < header_.updates; ++i) {
    const auto update = rest.take<LogUpdate>();
    visit(update, rest.take_bytes(padded_to_words(payload_bytes(update.table))).data());
  }
  rest.expect_end();
}

}  // namespace verbena::txn
