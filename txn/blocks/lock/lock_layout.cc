// Areas of whole pages, one behind the other.
#include "txn/blocks/lock/lock_layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "txn/blocks/tag.h"
#include "txn/prism/buffers/buffer_list.h"

namespace verbena::txn::blocks {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

/// All replicas keep the one partition.
constexpr PartitionId kPartition{0};

}  // namespace

LockLayout::LockLayout(const Schema& schema) : schema_(schema) {
  for (const TableDefinition& table : schema) {
    const auto block = static_cast<std::uint32_t>(sizeof(LockBlock) + table.payload_bytes);
    const std::uint32_t place = prism::buffer_bytes_for(block);
    const std::uint64_t bytes = prism::up_to_pages(table.initial_records * place);
    tables_.push_back(
        {.keys = table.key_shape(),
         .first = region_bytes_,
         .place_bytes = place,
         .shifts = (place - block) / static_cast<std::uint32_t>(sizeof(std::uint64_t)) + 1,
         .bytes = bytes});
    region_bytes_ += bytes;
  }
}

std::uint32_t LockLayout::longest_value_bytes() const {
  std::uint32_t longest = 0;
  for (const TableDefinition& table : schema_) longest = std::max(longest, table.payload_bytes);
  return longest;
}

std::optional<std::uint64_t> LockLayout::block(TableId table, Key key) const {
  const std::uint64_t index = tables_[table].keys.index_of(key);
  if (index == KeyShape::kNoIndex) return std::nullopt;
  return block_at(table, index);
}

rdma::PageLoader LockLayout::loader() const {
  return [this](std::uint64_t offset, std::span<std::byte> page) { load(offset, page); };
}

// As many whole places as fill whole pages.
std::vector<rdma::UnitArea> LockLayout::unit_areas() const {
  std::vector<rdma::UnitArea> areas;
  for (const Table& table : tables_) {
    if (table.bytes == 0) continue;
    areas.push_back(
        {.begin = table.first, .unit_bytes = std::lcm<std::uint64_t>(table.place_bytes, kPage)});
  }
  return areas;
}

std::vector<std::byte> LockLayout::loaded_place(TableId table, std::uint64_t index) const {
  const TableDefinition& definition = schema_[table];
  const LockBlock header{.lock = 0, .tag = kLoadedTag.word};
  std::vector<std::byte> place(tables_[table].place_bytes);
  const std::span<std::byte> block = std::span(place).subspan(into_place(table, index));
  std::memcpy(block.data(), &header, sizeof header);
  if (definition.load) {
    definition.load(kPartition, tables_[table].keys.key_of(index),
                    block.subspan(sizeof header, definition.payload_bytes));
  }
  return place;
}

// A page may begin and end in the midst of places.
void LockLayout::load(std::uint64_t offset, std::span<std::byte> page) const {
  const auto next =
      std::ranges::upper_bound(tables_, offset, {}, [](const Table& one) { return one.first; });
  const auto number = static_cast<std::size_t>(next - tables_.begin()) - 1;
  const Table& table = tables_[number];
  for (std::size_t at = 0; at < page.size();) {
    const std::uint64_t index = (offset + at - table.first) / table.place_bytes;
    const std::uint64_t from = (offset + at - table.first) % table.place_bytes;
    if (index >= table.keys.count()) return;
    const std::vector<std::byte> place = loaded_place(static_cast<TableId>(number), index);
    const std::size_t part = std::min<std::size_t>(page.size() - at, place.size() - from);
    std::memcpy(page.data() + at, place.data() + from, part);
    at += part;
  }
}

}  // namespace verbena::txn::blocks
