// Layout of a replica's blocks that are replaced in place.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "txn/schema/table.h"

namespace verbena::txn::blocks {

/// Header of a block; the value follows.
struct LockBlock {
  std::uint64_t lock = 0;  ///< number of the client that holds it; 0: nobody
  std::uint64_t tag = 0;
};

/// Lays out one region: for each table, places for the loaded keys in their order. A place takes
/// whole pages, or several share one, so that access to a block touches no other page. Neighbouring
/// blocks begin at different offsets within their places: NICs tell locks apart by few low bits of
/// their addresses, and do one atomic at a time among addresses with equal bits. All nodes compute
/// the same, and replicas hold the same. Immutable.
class LockLayout {
 public:
  explicit LockLayout(const Schema& schema);

  const Schema& schema() const { return schema_; }
  std::uint64_t region_bytes() const { return region_bytes_; }
  rdma::PageLoader loader() const;
  std::vector<rdma::UnitArea> unit_areas() const;

  /// Bytes of a place.
  std::uint32_t place_bytes(TableId table) const { return tables_[table].place_bytes; }
  /// Offset of a place.
  std::uint64_t place_at(TableId table, std::uint64_t index) const {
    return tables_[table].first + index * tables_[table].place_bytes;
  }
  /// Bytes of the longest value of any table.
  std::uint32_t longest_value_bytes() const;

  /// Offset of a key's block; nothing if the key was not loaded.
  std::optional<std::uint64_t> block(TableId table, Key key) const;
  /// Offset of the block of the key with this index.
  std::uint64_t block_at(TableId table, std::uint64_t index) const {
    return place_at(table, index) + into_place(table, index);
  }
  const KeyShape& keys(TableId table) const { return tables_[table].keys; }

 private:
  struct Table {
    KeyShape keys;
    std::uint64_t first = 0;  // offset
    std::uint32_t place_bytes = 0;
    std::uint32_t shifts = 0;  // offsets of blocks in their places, 8 B apart
    std::uint64_t bytes = 0;   // of all places, whole pages
  };

  std::uint64_t into_place(TableId table, std::uint64_t index) const {
    return index % tables_[table].shifts * sizeof(std::uint64_t);
  }
  void load(std::uint64_t offset, std::span<std::byte> page) const;
  std::vector<std::byte> loaded_place(TableId table, std::uint64_t index) const;

  Schema schema_;
  std::vector<Table> tables_;
  std::uint64_t region_bytes_ = 0;
};

}  // namespace verbena::txn::blocks
