// Layout of a Pilaf server's entries and objects.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/kv/pilaf_entry.h"
#include "txn/schema/table.h"

namespace verbena::txn::kv {

/// One region. It holds, for each table, the entries of the loaded keys in their order, one per
/// cache line, and extents for objects, the first of which hold the loaded ones. Equal on all
/// nodes; each server holds a partition. Immutable.
class PilafLayout {
 public:
  /// Extents for objects of one table.
  struct Extents {
    std::uint64_t first = 0;  ///< offset of the first extent
    std::uint32_t bytes = 0;  ///< size of an extent
    std::uint64_t loaded = 0;
    std::uint64_t count = 0;

    std::uint64_t offset(std::uint64_t extent) const { return first + extent * bytes; }
  };

  /// `spares`: number of extents of each table without object.
  PilafLayout(const Schema& schema, std::uint64_t spares);

  const Schema& schema() const { return schema_; }
  std::uint64_t region_bytes() const { return region_bytes_; }
  rdma::PageLoader loader(PartitionId partition) const;
  std::vector<rdma::UnitArea> unit_areas() const;

  std::uint32_t object_bytes(TableId table) const {
    return static_cast<std::uint32_t>(sizeof(PilafObject)) + schema_[table].payload_bytes;
  }
  /// Size of the longest object of any table.
  std::uint32_t longest_object_bytes() const;

  /// Returns the offset of a key's entry; none when the key was not loaded.
  std::optional<std::uint64_t> entry(TableId table, Key key) const;
  /// Returns the offset of an entry by its key's index.
  std::uint64_t entry_at(TableId table, std::uint64_t index) const {
    return tables_[table].first_entry + index * kCacheLineBytes;
  }
  const KeyShape& keys(TableId table) const { return tables_[table].keys; }
  const Extents& extents(TableId table) const { return tables_[table].extents; }

 private:
  struct Table {
    KeyShape keys;
    std::uint64_t first_entry = 0;
    Extents extents;
  };

  void load(PartitionId partition, std::uint64_t offset, std::span<std::byte> page) const;
  void load_extents(PartitionId partition, TableId table, std::uint64_t offset,
                    std::span<std::byte> page) const;
  std::vector<std::byte> loaded_object(PartitionId partition, TableId table,
                                       std::uint64_t index) const;

  Schema schema_;
  std::vector<Table> tables_;
  std::uint64_t region_bytes_ = 0;
};

}  // namespace verbena::txn::kv
