// Tables as the store and the workloads describe them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "txn/schema/key_shape.h"

namespace verbena::txn {

using TableId = std::uint8_t;

/// A part of every table. A View tells which nodes hold it.
using PartitionId = Id<struct PartitionKind>;

/// A record's name in the cluster.
struct RecordName {
  TableId table = 0;
  PartitionId partition = 0;
  Key key = 0;

  auto operator<=>(const RecordName&) const = default;
};

/// Keys of one partition of an ordered table, both ends included.
struct KeyRange {
  TableId table = 0;
  PartitionId partition = 0;
  Key first = 0;
  Key last = 0;
  bool descending = false;  ///< the highest keys first
};

/// A table, in equal partitions.
struct TableDefinition {
  std::string name;
  std::uint32_t payload_bytes = 8;
  std::uint64_t initial_records = 0;                 ///< per partition
  std::uint64_t insert_capacity = 0;                 ///< further records per partition
  std::string capacity_setting = "insert_capacity";  ///< setting by which users enlarge it
  /// Writes the initial payload (zeroed before) of a record. Must depend on nothing but its
  /// arguments: backups and pages are filled independently. Empty: payloads are zero.
  std::function<void(PartitionId partition, Key key, std::span<std::byte> payload)> load = {};
  /// The digits of the initial records' keys (KeyShape), at most four levels, the highest first;
  /// the product of their counts is initial_records. Empty: the keys are dense from 0. E.g. order
  /// lines with the key district << 40 | order << 8 | line: {districts, 40}, {3000, 8}, {10, 0}.
  std::vector<KeyLevel> key_levels = {};
  /// True if the owner keeps the keys of the primary copy in order, for Store::scan.
  bool ordered = false;
  /// True if nodes touch records of other nodes' partitions, so that their locations are worth a
  /// place in the location cache from the beginning.
  bool remote = true;
  /// True if transactions may erase its records. That is impossible where conflicts are ignored: a
  /// workload that erases without saying so here is refused in the middle of such a run.
  bool erased = false;
  /// Setting that makes transactions draw numbers from its records (Transaction::draw), e.g.
  /// "workload.next_order=fetch-add"; empty: none does. No transaction writes such a record; its
  /// payload begins with the next number, and only loaded records have one.
  std::string drawn_by = {};

  bool drawn() const { return !drawn_by.empty(); }

  KeyShape key_shape() const { return {initial_records, key_levels}; }
  /// Returns the key of the initial record in entry `index`.
  Key initial_key(std::uint64_t index) const { return key_shape().key_of(index); }
  /// Returns the entry of the initial record with `key`, if there is one.
  std::optional<std::uint64_t> initial_index(Key key) const {
    const std::uint64_t index = key_shape().index_of(key);
    if (index == KeyShape::kNoIndex) return std::nullopt;
    return index;
  }
};

/// All tables, by TableId.
using Schema = std::vector<TableDefinition>;

/// Most that one transaction of a workload accesses; memory is set aside for it.
struct TransactionLimits {
  std::uint32_t records = 16;
  std::uint32_t written = 16;       ///< part of `records`
  std::uint32_t record_bytes = 0;   ///< sum of their payloads, each rounded up to 8 B
  std::uint32_t written_bytes = 0;  ///< of the written ones' payloads, rounded alike
  std::uint32_t scanned = 0;        ///< most keys that one scan returns

  /// Returns the limits for any `records` records of `schema`, all of which may be written.
  static TransactionLimits any_of(const Schema& schema, std::uint32_t records) {
    std::uint32_t largest = 0;
    for (const TableDefinition& table : schema) largest = std::max(largest, table.payload_bytes);
    largest = (largest + 7) / 8 * 8;
    return {.records = records,
            .written = records,
            .record_bytes = records * largest,
            .written_bytes = records * largest};
  }
};

}  // namespace verbena::txn
