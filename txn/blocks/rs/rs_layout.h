// Layout of a replica's metadata and buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "txn/blocks/tag.h"
#include "txn/prism/buffers/buffer_list.h"
#include "txn/schema/table.h"

namespace verbena::txn::blocks {

/// Metadata of a block (PRISM paper, section 7.1). A compare-and-swap that requires a greater tag
/// replaces it.
struct Metadata {
  Tag tag;
  std::uint64_t pointer = 0;  ///< offset in the region of a buffer with tag and value
};
inline constexpr std::uint32_t kMetadataBytes = sizeof(Metadata);

/// Lays out one region: the metadata of the blocks, which are the loaded records, table by table;
/// where it takes them, a lock for each block; then buffers by size, of each size first those with
/// loaded records. All replicas have the same layout. Immutable.
class RsLayout {
 public:
  /// `spares`: additional buffers of each size. Throws ConfigurationError for more than a list can
  /// have.
  RsLayout(const Schema& schema, std::uint64_t spares, bool locks = false);

  const Schema& schema() const { return schema_; }
  std::uint64_t region_bytes() const { return region_bytes_; }
  rdma::PageLoader loader(PartitionId partition) const;
  std::vector<rdma::UnitArea> unit_areas() const { return prism::unit_areas(lists_); }
  const std::vector<prism::BufferList>& lists() const { return lists_; }
  rdma::FreeListId list_of(TableId table) const { return tables_[table].list; }

  /// Bytes of a buffer's content.
  std::uint32_t object_bytes(TableId table) const {
    return static_cast<std::uint32_t>(sizeof(Tag)) + schema_[table].payload_bytes;
  }

  std::uint64_t blocks() const { return blocks_; }
  /// Number of a record's block; nothing if the record was not loaded.
  std::optional<std::uint64_t> block(TableId table, Key key) const;
  /// Record of a block.
  struct Record {
    TableId table;
    Key key;
  };
  Record record(std::uint64_t block) const;

  /// Offset of a block's metadata.
  std::uint64_t metadata_at(std::uint64_t block) const { return kFirst + block * kMetadataBytes; }
  /// Returns the offset of the lock of the block whose metadata is at that offset: the number of
  /// the client that has it, or 0.
  std::uint64_t lock_at(std::uint64_t metadata_at) const {
    return locks_first_ + (metadata_at - kFirst) / kMetadataBytes * sizeof(std::uint64_t);
  }
  /// Initial metadata of a block.
  Metadata loaded(std::uint64_t block) const;

 private:
  static constexpr std::uint64_t kFirst = rdma::FirstTouchMemory::kPageBytes;

  struct Table {
    KeyShape keys;
    std::uint64_t first_block = 0;
    rdma::FreeListId list = 0;
    std::uint32_t first_buffer = 0;  // in its list, first buffer of loaded records
  };

  TableId table_of(std::uint64_t block) const;
  void load(PartitionId partition, std::uint64_t offset, std::span<std::byte> page) const;
  void load_object(PartitionId partition, rdma::FreeListId list, std::uint64_t buffer,
                   std::span<std::byte> object) const;

  Schema schema_;
  std::vector<Table> tables_;
  std::vector<prism::BufferList> lists_;
  std::uint64_t blocks_ = 0;
  std::uint64_t locks_first_ = 0;
  std::uint64_t region_bytes_ = 0;
};

}  // namespace verbena::txn::blocks
