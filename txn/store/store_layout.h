// Layout of a node's store region: the same on every node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/first_touch_memory.h"
#include "txn/index/key_mix.h"
#include "txn/schema/table.h"
#include "txn/store/record.h"

namespace verbena::txn {

/// Number of a copy of a partition: 0 is the primary, c > 0 its c-th backup.
using CopyId = std::uint8_t;

/// Placement of partitions on nodes: node p holds the primary of partition p, nodes p + 1, p + 2,
/// ... (modulo the number of nodes) its backups. Nodes that are not counted hold none.
struct Placement {
  std::uint32_t nodes = 1;  ///< nodes that hold partitions, the first ones of a cluster
  std::uint32_t replicas = 1;

  bool holds_any(NodeId node) const { return node < nodes; }

  /// Returns the home of partition p: node p.
  static NodeId primary(PartitionId partition) { return NodeId(std::uint16_t{partition}); }
  NodeId holder(PartitionId partition, CopyId copy) const {
    const std::uint32_t node = partition + copy;
    return static_cast<NodeId>(node < nodes ? node : node - nodes);
  }
  PartitionId partition_of(NodeId node, CopyId copy) const {
    return static_cast<PartitionId>(node >= copy ? node - copy : node + nodes - copy);
  }
  /// Returns the copy of `partition` that would be on `node`; it exists if it is less than
  /// `replicas`.
  std::uint32_t copy_on(NodeId node, PartitionId partition) const {
    return (node + nodes - partition) % nodes;
  }
  bool backs_up(NodeId node, PartitionId partition) const {
    const std::uint32_t copy = copy_on(node, partition);
    return copy > 0 && copy < replicas;
  }
};

/// One table's part of a partition copy. Offsets count from the beginning of the copy.
struct TableLayout {
  RecordFormat format;
  KeyShape shape;
  KeyMix mix;
  bool ordered;
  std::uint64_t initial_records;
  std::uint64_t entries;           ///< capacity
  std::uint64_t initial_buckets;   ///< main buckets of initial keys, a power of two or none
  std::uint64_t buckets;           ///< all main buckets
  std::uint64_t indirect_buckets;  ///< capacity
  std::uint64_t bucket_area;
  std::uint64_t indirect_area;
  std::uint64_t entry_area;
  std::string name;              ///< for messages, as TableDefinition has it
  std::string capacity_setting;  ///< likewise

  /// Returns the main bucket of `key`. At most eight initial keys share one, and `unmix` enumerates
  /// their indexes. Other keys have buckets of their own, if the table is made for any.
  std::uint64_t bucket_of(Key key) const {
    if (key < shape.dense_keys()) return mix.mix(key) >> 3;
    const std::uint64_t index = shape.index_of(key);
    if (index != KeyShape::kNoIndex) return mix.mix(index) >> 3;
    const std::uint64_t first = initial_buckets < buckets ? initial_buckets : 0;
    return first + scatter(key, buckets - first);
  }
};

/// The layout of a store region: one copy after the other, where copy c of node n is of partition n
/// - c; in each copy one table after the other; in each table main buckets, indirect buckets,
/// entries. Areas begin at pages. It depends on the constructor's arguments alone, so a record's
/// address is (node, region, offset) wherever it is computed.
class StoreLayout {
 public:
  /// Slots of main buckets for each 100 records that may be inserted; fewer make longer chains of
  /// buckets.
  static constexpr std::uint32_t kUsualSlotsPercent = 150;

  /// `slots_percent`: see kUsualSlotsPercent. Throws ConfigurationError for a schema or placement
  /// that cannot be laid out.
  StoreLayout(const Schema& schema, Placement placement,
              std::uint32_t slots_percent = kUsualSlotsPercent);

  const Placement& placement() const { return placement_; }
  std::uint32_t tables() const { return static_cast<std::uint32_t>(tables_.size()); }
  const TableLayout& table(TableId table) const { return tables_[table]; }
  std::uint64_t copy_bytes() const { return copy_bytes_; }
  std::uint64_t region_bytes() const { return copy_bytes_ * placement_.replicas; }

  std::uint64_t record_offset(CopyId copy, TableId table, std::uint32_t entry) const {
    const TableLayout& t = tables_[table];
    return copy * copy_bytes_ + t.entry_area + std::uint64_t{entry} * t.format.stride();
  }
  std::uint64_t bucket_offset(CopyId copy, TableId table, std::uint64_t bucket) const;
  std::uint64_t indirect_offset(CopyId copy, TableId table, std::uint32_t bucket) const;

  /// Returns areas of memory and their units (rdma::UnitArea). A unit of buckets is a page. Where
  /// records may begin on one page and end on another, a unit holds all records that share pages.
  std::vector<rdma::UnitArea> unit_areas() const;

  /// Returns the loader of `node`'s initial region, page by page. It holds a copy of what it needs.
  rdma::PageLoader loader(const Schema& schema, NodeId node) const;

 private:
  void load_page(const Schema& schema, NodeId node, std::uint64_t offset,
                 std::span<std::byte> page) const;
  void load_buckets(const TableLayout& table, std::uint64_t area_offset,
                    std::span<std::byte> page) const;
  void load_entries(const TableDefinition& definition, const TableLayout& table,
                    PartitionId partition, std::uint64_t area_offset,
                    std::span<std::byte> page) const;

  Placement placement_;
  std::vector<TableLayout> tables_;
  std::uint64_t copy_bytes_ = 0;
};

}  // namespace verbena::txn
