// Content of YCSB's records, from which torn records and lost changes are detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "txn/schema/table.h"

namespace verbena::workloads::ycsb {

/// Format of a record: the number of its changes (8 B), the part of its key that the store has no
/// room for, and its fields. A field begins with the number of its own changes (8 B); the rest is a
/// function of partition, key, field and that number. This detects records that are torn at any
/// place or stand in the wrong place, and lost changes. Immutable.
class RecordFormat {
 public:
  /// `field_bytes` is at least 8.
  RecordFormat(std::uint32_t fields, std::uint32_t field_bytes, std::uint32_t key_bytes);

  std::uint32_t fields() const { return fields_; }
  std::uint32_t bytes() const { return first_field_ + fields_ * field_bytes_; }

  /// Writes a record without any changes.
  void write(txn::PartitionId partition, txn::Key key, std::span<std::byte> payload) const;

  /// Writes a record whose fields all have the number of changes `number`, although these were not
  /// made.
  void replace(txn::PartitionId partition, txn::Key key, std::uint64_t number,
               std::span<std::byte> payload) const;

  /// Gives `field` its next content, and counts the change.
  void change(txn::PartitionId partition, txn::Key key, std::uint32_t field,
              std::span<std::byte> payload) const;

  /// Counts a change without changing a field, for the record's insertion.
  static void count_change(std::span<std::byte> payload);

  /// Number of changes that a record has counted.
  static std::uint64_t changes(std::span<const std::byte> payload);

  /// Describes what is wrong with a record that counts `uncounted` more changes than its fields;
  /// empty if nothing is.
  std::string fault(txn::PartitionId partition, txn::Key key, std::uint64_t uncounted,
                    std::span<const std::byte> payload) const;

 private:
  std::size_t offset(std::uint32_t field) const {
    return first_field_ + std::size_t{field} * field_bytes_;
  }
  void write_field(txn::PartitionId partition, txn::Key key, std::uint32_t field,
                   std::uint64_t changes, std::span<std::byte> payload) const;

  std::uint32_t fields_;
  std::uint32_t field_bytes_;
  std::uint32_t first_field_;
};

}  // namespace verbena::workloads::ycsb
