// Tables as the store and the workloads describe them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rdma/seam/types.h"

namespace verbena::txn {

using TableId = std::uint8_t;

/// A key within a table's partition. Keys 0 .. initial_records - 1 exist from the start; inserted
/// records may use any other key below kNoKey.
using Key = std::uint64_t;
inline constexpr Key kNoKey = UINT64_MAX;

/// A record's name in the cluster. A partition is numbered as the node that holds its primary copy.
struct RecordName {
  TableId table = 0;
  rdma::NodeId partition = 0;
  Key key = 0;

  auto operator<=>(const RecordName&) const = default;
};

/// A table, partitioned over all nodes alike.
struct TableDefinition {
  std::string name;
  std::uint32_t payload_bytes = 8;
  std::uint64_t initial_records = 0;  ///< per partition; their keys are dense from 0
  std::uint64_t insert_capacity = 0;  ///< further records per partition
  /// Writes the initial payload (zeroed before) of a record. Must depend on nothing but its
  /// arguments: backups and pages are filled independently. Empty: payloads are zero.
  std::function<void(rdma::NodeId partition, Key key, std::span<std::byte> payload)> load;
};

/// All tables, by TableId.
using Schema = std::vector<TableDefinition>;

}  // namespace verbena::txn
