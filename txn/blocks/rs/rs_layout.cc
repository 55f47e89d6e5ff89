// Areas of whole pages, one behind the other.
#include "txn/blocks/rs/rs_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::txn::blocks {

RsLayout::RsLayout(const Schema& schema, std::uint64_t spares, bool locks) : schema_(schema) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() / 2;
  for (std::size_t t = 0; t < schema.size(); ++t) {
    const TableDefinition& table = schema[t];
    const std::uint64_t count = table.initial_records;
    Table& own = tables_.emplace_back(Table{.keys = table.key_shape(), .first_block = blocks_});
    blocks_ += count;
    const std::uint32_t object = object_bytes(static_cast<TableId>(t));
    own.list = prism::list_for(lists_, prism::buffer_bytes_for(object));
    prism::BufferList& list = lists_[own.list];
    if (list.loaded + count + spares > kMost) {
      throw ConfigurationError(
          "table " + table.name + ": " + std::to_string(list.loaded + count + spares) +
          " buffers of one size at a replica; allowed are " + std::to_string(kMost));
    }
    own.first_buffer = list.loaded;
    list.loaded += static_cast<std::uint32_t>(count);
  }
  locks_first_ = kFirst + prism::up_to_pages(blocks_ * kMetadataBytes);
  const std::uint64_t bytes = locks ? prism::up_to_pages(blocks_ * sizeof(std::uint64_t)) : 0;
  region_bytes_ = prism::place_lists(lists_, spares, locks_first_ + bytes);
}

std::optional<std::uint64_t> RsLayout::block(TableId table, Key key) const {
  const std::uint64_t index = tables_[table].keys.index_of(key);
  if (index == KeyShape::kNoIndex) return std::nullopt;
  return tables_[table].first_block + index;
}

TableId RsLayout::table_of(std::uint64_t block) const {
  const auto next = std::ranges::upper_bound(tables_, block, {}, &Table::first_block);
  return static_cast<TableId>(next - tables_.begin() - 1);
}

RsLayout::Record RsLayout::record(std::uint64_t block) const {
  const TableId table = table_of(block);
  const Table& own = tables_[table];
  return {.table = table, .key = own.keys.key_of(block - own.first_block)};
}

Metadata RsLayout::loaded(std::uint64_t block) const {
  const Table& own = tables_[table_of(block)];
  const std::uint64_t buffer = own.first_buffer + (block - own.first_block);
  return {.tag = kLoadedTag, .pointer = lists_[own.list].offset_of(buffer)};
}

rdma::PageLoader RsLayout::loader(PartitionId partition) const {
  return [this, partition](std::uint64_t offset, std::span<std::byte> page) {
    load(partition, offset, page);
  };
}

// All else is zero.
void RsLayout::load(PartitionId partition, std::uint64_t offset, std::span<std::byte> page) const {
  if (offset >= kFirst && offset < metadata_at(blocks_)) {
    std::uint64_t block = (offset - kFirst) / kMetadataBytes;
    for (std::size_t at = 0; at < page.size() && block < blocks_; at += kMetadataBytes, ++block) {
      const Metadata metadata = loaded(block);
      std::memcpy(page.data() + at, &metadata, sizeof metadata);
    }
    return;
  }
  for (std::size_t l = 0; l < lists_.size(); ++l) {
    if (!lists_[l].holds(offset)) continue;
    return lists_[l].load(offset, page, [&](std::uint64_t buffer, std::span<std::byte> object) {
      load_object(partition, static_cast<rdma::FreeListId>(l), buffer, object);
    });
  }
}

void RsLayout::load_object(PartitionId partition, rdma::FreeListId list, std::uint64_t buffer,
                           std::span<std::byte> object) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    const TableDefinition& definition = schema_[t];
    if (table.list != list || buffer < table.first_buffer ||
        buffer - table.first_buffer >= definition.initial_records) {
      continue;
    }
    std::memcpy(object.data(), &kLoadedTag, sizeof kLoadedTag);
    if (definition.load) {
      definition.load(partition, table.keys.key_of(buffer - table.first_buffer),
                      object.subspan(sizeof kLoadedTag, definition.payload_bytes));
    }
    return;
  }
}

}  // namespace verbena::txn::blocks
