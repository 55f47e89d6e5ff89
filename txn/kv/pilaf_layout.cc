// Areas of whole pages, one behind the other.
#include "txn/kv/pilaf_layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace verbena::txn::kv {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

std::uint64_t up_to_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

PilafLayout::PilafLayout(const Schema& schema, std::uint64_t spares) : schema_(schema) {
  for (const TableDefinition& table : schema) {
    Table& own = tables_.emplace_back(
        Table{.keys = table.key_shape(), .first_entry = region_bytes_, .extents = {}});
    region_bytes_ += up_to_pages(table.initial_records * kCacheLineBytes);
    own.extents.first = region_bytes_;
    own.extents.bytes = static_cast<std::uint32_t>(
        cache_lines(sizeof(PilafObject) + table.payload_bytes) * kCacheLineBytes);
    own.extents.loaded = table.initial_records;
    own.extents.count = table.initial_records + spares;
    region_bytes_ += up_to_pages(own.extents.count * own.extents.bytes);
  }
}

std::uint32_t PilafLayout::longest_object_bytes() const {
  std::uint32_t longest = 0;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    longest = std::max(longest, object_bytes(static_cast<TableId>(t)));
  }
  return longest;
}

std::optional<std::uint64_t> PilafLayout::entry(TableId table, Key key) const {
  const std::uint64_t index = tables_[table].keys.index_of(key);
  if (index == KeyShape::kNoIndex) return std::nullopt;
  return entry_at(table, index);
}

rdma::PageLoader PilafLayout::loader(PartitionId partition) const {
  return [this, partition](std::uint64_t offset, std::span<std::byte> page) {
    load(partition, offset, page);
  };
}

std::vector<rdma::UnitArea> PilafLayout::unit_areas() const {
  std::vector<rdma::UnitArea> areas;
  for (const Table& table : tables_) {
    if (table.extents.first > table.first_entry) {
      areas.push_back({.begin = table.first_entry, .unit_bytes = kPage});
    }
    // As many whole extents as fill whole pages.
    areas.push_back({.begin = table.extents.first,
                     .unit_bytes = std::lcm<std::uint64_t>(table.extents.bytes, kPage)});
  }
  return areas;
}

std::vector<std::byte> PilafLayout::loaded_object(PartitionId partition, TableId table,
                                                  std::uint64_t index) const {
  const TableDefinition& definition = schema_[table];
  const PilafObject header{.key_bytes = sizeof(Key),
                           .value_bytes = definition.payload_bytes,
                           .key = tables_[table].keys.key_of(index)};
  std::vector<std::byte> object(object_bytes(table));
  std::memcpy(object.data(), &header, sizeof header);
  if (definition.load) {
    definition.load(partition, header.key, std::span(object).subspan(sizeof header));
  }
  return object;
}

// A page may begin and end in the midst of extents.
void PilafLayout::load_extents(PartitionId partition, TableId table, std::uint64_t offset,
                               std::span<std::byte> page) const {
  const Extents& extents = tables_[table].extents;
  for (std::size_t at = 0; at < page.size();) {
    const std::uint64_t extent = (offset + at - extents.first) / extents.bytes;
    const std::uint64_t from = (offset + at - extents.first) % extents.bytes;
    if (extent >= extents.loaded) return;
    const std::vector<std::byte> object = loaded_object(partition, table, extent);
    const std::size_t part = std::min<std::size_t>(page.size() - at, extents.bytes - from);
    if (from < object.size()) {
      std::memcpy(page.data() + at, object.data() + from, std::min(part, object.size() - from));
    }
    at += part;
  }
}

void PilafLayout::load(PartitionId partition, std::uint64_t offset,
                       std::span<std::byte> page) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const auto table = static_cast<TableId>(t);
    const Extents& extents = tables_[t].extents;
    if (offset >= extents.first + up_to_pages(extents.count * extents.bytes)) continue;
    if (offset >= extents.first) return load_extents(partition, table, offset, page);
    std::uint64_t index = (offset - tables_[t].first_entry) / kCacheLineBytes;
    for (std::size_t at = 0; at < page.size() && index < extents.loaded; ++index) {
      const std::vector<std::byte> object = loaded_object(partition, table, index);
      PilafEntry entry{.version = 1,
                       .object = extents.offset(index),
                       .bytes = object.size(),
                       .object_crc = crc_of(object)};
      entry.entry_crc = entry.computed_crc();
      std::memcpy(page.data() + at, &entry, sizeof entry);
      at += kCacheLineBytes;
    }
    return;
  }
}

}  // namespace verbena::txn::kv
