// Layout of a server's slots and buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/chain/operation.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/prism/buffers/buffer_list.h"
#include "txn/prism/object.h"
#include "txn/schema/table.h"

namespace verbena::txn::prism {

/// One region holds all that a server keeps, since a chain names one region. For each table it has
/// the slots of the loaded keys in their order (the collisionless hash of PRISM's evaluation,
/// section 6.2), then slots of other keys, by linear probing. Buffers follow, those of objects of
/// one size together; the first ones hold the loaded objects. The first page has an object of no
/// key. Equal on all nodes; each server holds a partition. Immutable.
class Layout {
 public:
  /// `spares`: number for each list. Throws ConfigurationError for tables with more objects than a
  /// list can have.
  Layout(const Schema& schema, std::uint64_t spares, const SlotFormat& format = kBoundedSlots);

  const Schema& schema() const { return schema_; }
  std::uint64_t region_bytes() const { return region_bytes_; }
  rdma::PageLoader loader(PartitionId partition) const;
  std::vector<rdma::UnitArea> unit_areas() const { return prism::unit_areas(lists_); }

  const std::vector<BufferList>& lists() const { return lists_; }
  rdma::FreeListId list_of(TableId table) const { return tables_[table].list; }

  /// Size of an object with a value, in bytes.
  std::uint32_t object_bytes(TableId table) const {
    return kObjectHeaderBytes + schema_[table].payload_bytes;
  }

  /// Returns the offset of the slot for a key after `passed` slots of other keys; none when there
  /// are no more.
  std::optional<std::uint64_t> slot(TableId table, Key key, std::uint64_t passed) const;

  /// Adjacent slots of a table.
  struct Slots {
    std::uint64_t first = 0;  ///< offset of the first slot
    std::uint64_t count = 0;
  };
  /// Slots of the loaded keys, by their index, and slots of other keys.
  Slots loaded_slots(TableId table) const { return tables_[table].loaded; }
  Slots other_slots(TableId table) const { return tables_[table].others; }

  /// Returns the offset of the object loaded for the slot with that index.
  std::uint64_t loaded_object(TableId table, std::uint64_t index) const;

  /// Offset of an object of no key, for slots that are not used yet.
  static constexpr std::uint64_t nobody() { return kCacheLineBytes; }

 private:
  struct Table {
    KeyShape keys;
    Slots loaded;
    Slots others;
    rdma::FreeListId list = 0;
    std::uint32_t first_buffer = 0;  // of what was loaded, in its list
  };

  std::uint64_t add_slots(std::uint64_t count);
  void load(PartitionId partition, std::uint64_t offset, std::span<std::byte> page) const;
  void load_slots(TableId table, std::uint64_t offset, std::span<std::byte> page) const;
  void load_other_slots(std::uint64_t slots, std::span<std::byte> page) const;
  void load_object(PartitionId partition, rdma::FreeListId list, std::uint64_t buffer,
                   std::span<std::byte> object) const;

  Schema schema_;
  SlotFormat format_;
  std::vector<Table> tables_;
  std::vector<BufferList> lists_;
  std::uint64_t region_bytes_ = 0;
};

}  // namespace verbena::txn::prism
