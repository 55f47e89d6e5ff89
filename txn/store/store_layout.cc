// Computing the layout and the initial content of its pages.
#include "txn/store/store_layout.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "txn/index/bucket.h"

namespace verbena::txn {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

std::uint64_t round_to_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void check_keys(const TableDefinition& table) {
  auto refuse = [&](const std::string& what) {
    throw ConfigurationError("table '" + table.name + "': " + what);
  };
  if (table.key_levels.size() > KeyShape::kMaxLevels) {
    refuse(std::to_string(table.key_levels.size()) + " key levels; allowed are at most " +
           std::to_string(KeyShape::kMaxLevels));
  }
  std::uint64_t records = 1;
  unsigned above = 63;  // the shift of the level before; at first what keeps keys below kNoKey
  for (const KeyLevel& level : table.key_levels) {
    const auto bits =
        static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(level.count, 1) - 1));
    if (level.shift >= above || bits > above - level.shift) {
      refuse("key level of " + std::to_string(level.count) + " at bit " +
             std::to_string(level.shift) + "; allowed are levels that end below bit " +
             std::to_string(above));
    }
    above = level.shift;
    records = level.count == 0 ? 0 : records * level.count;
  }
  if (!table.key_levels.empty() && records != table.initial_records) {
    refuse("key levels of " + std::to_string(records) + " keys; allowed are as many as the " +
           std::to_string(table.initial_records) + " initial records");
  }
}

void check_payload(const TableDefinition& table) {
  if (table.payload_bytes > 0 && table.payload_bytes < kMostRecordBytes &&
      RecordFormat(table.payload_bytes).bytes() <= kMostRecordBytes) {
    return;
  }
  throw ConfigurationError("table '" + table.name + "': payload of " +
                           std::to_string(table.payload_bytes) +
                           " bytes; allowed are 1 and more, in records of at most " +
                           std::to_string(kMostRecordBytes) + " bytes with what the system adds");
}

void check(const Schema& schema, const Placement& placement) {
  if (placement.replicas == 0 || placement.replicas > placement.nodes) {
    throw ConfigurationError("replicas " + std::to_string(placement.replicas) +
                             "; allowed are 1 to the number of nodes, " +
                             std::to_string(placement.nodes));
  }
  if (schema.empty() || schema.size() > 255) {
    throw ConfigurationError("schema with " + std::to_string(schema.size()) +
                             " tables; allowed are 1 to 255");
  }
  for (const TableDefinition& table : schema) {
    const std::uint64_t records = table.initial_records + table.insert_capacity;
    if (records == 0 || records >= UINT32_MAX) {
      throw ConfigurationError("table '" + table.name + "': " + std::to_string(records) +
                               " records per partition; allowed are 1 to 4294967294");
    }
    check_payload(table);
    check_keys(table);
  }
}

}  // namespace

StoreLayout::StoreLayout(const Schema& schema, Placement placement, std::uint32_t slots_percent)
    : placement_(placement) {
  check(schema, placement);
  for (const TableDefinition& definition : schema) {
    const std::uint64_t records = definition.initial_records + definition.insert_capacity;
    const std::uint64_t initial = definition.initial_records;
    const auto index_bits = std::max(
        3U, static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(initial, 1) - 1)));
    const std::uint64_t inserts = main_buckets_for(definition.insert_capacity, slots_percent);
    const std::uint64_t initial_buckets = initial == 0 ? 0 : std::uint64_t{1} << (index_bits - 3);
    TableLayout table{.format = RecordFormat(definition.payload_bytes),
                      .shape = definition.key_shape(),
                      .mix = KeyMix(index_bits),
                      .ordered = definition.ordered,
                      .initial_records = initial,
                      .entries = records,
                      .initial_buckets = initial_buckets,
                      .buckets = initial_buckets + inserts,
                      .indirect_buckets = indirect_buckets_for(definition.insert_capacity),
                      .bucket_area = copy_bytes_,
                      .indirect_area = 0,
                      .entry_area = 0,
                      .name = definition.name,
                      .capacity_setting = definition.capacity_setting};
    table.indirect_area = table.bucket_area + round_to_pages(table.buckets * Bucket::kBytes);
    table.entry_area =
        table.indirect_area + round_to_pages(table.indirect_buckets * Bucket::kBytes);
    copy_bytes_ = table.entry_area + round_to_pages(table.entries * table.format.stride());
    tables_.push_back(std::move(table));
  }
}

std::uint64_t StoreLayout::bucket_offset(CopyId copy, TableId table, std::uint64_t bucket) const {
  return copy * copy_bytes_ + tables_[table].bucket_area + bucket * Bucket::kBytes;
}

std::uint64_t StoreLayout::indirect_offset(CopyId copy, TableId table, std::uint32_t bucket) const {
  return copy * copy_bytes_ + tables_[table].indirect_area + std::uint64_t{bucket} * Bucket::kBytes;
}

std::vector<rdma::UnitArea> StoreLayout::unit_areas() const {
  std::vector<rdma::UnitArea> areas;
  for (std::uint32_t copy = 0; copy < placement_.replicas; ++copy) {
    for (const TableLayout& table : tables_) {
      const std::uint64_t begin = copy * copy_bytes_;
      areas.push_back({.begin = begin + table.bucket_area, .unit_bytes = Bucket::kBytes});
      // Several short records share a line.
      areas.push_back({.begin = begin + table.entry_area,
                       .unit_bytes = std::max(table.format.stride(), kLineBytes)});
    }
  }
  return areas;
}

rdma::PageLoader StoreLayout::loader(const Schema& schema, NodeId node) const {
  return [layout = *this, schema, node](std::uint64_t offset, std::span<std::byte> page) {
    layout.load_page(schema, node, offset, page);
  };
}

void StoreLayout::load_page(const Schema& schema, NodeId node, std::uint64_t offset,
                            std::span<std::byte> page) const {
  const auto copy = static_cast<CopyId>(offset / copy_bytes_);
  const std::uint64_t within = offset % copy_bytes_;
  std::size_t id = tables_.size() - 1;
  while (tables_[id].bucket_area > within) --id;
  const TableLayout& table = tables_[id];
  if (within < table.indirect_area) {
    load_buckets(table, within - table.bucket_area, page);
  } else if (within >= table.entry_area) {
    load_entries(schema[id], table, placement_.partition_of(node, copy), within - table.entry_area,
                 page);
  }
}

void StoreLayout::load_buckets(const TableLayout& table, std::uint64_t area_offset,
                               std::span<std::byte> page) const {
  std::uint64_t number = area_offset / Bucket::kBytes;
  for (std::size_t at = 0; at < page.size() && number < table.initial_buckets;
       at += Bucket::kBytes, ++number) {
    Bucket bucket{};
    unsigned used = 0;
    for (unsigned i = 0; i < Bucket::kSlots; ++i) {
      const std::uint64_t index = table.mix.unmix(number * Bucket::kSlots + i);
      if (index >= table.initial_records) continue;
      bucket.set(used++, table.shape.key_of(index), static_cast<std::uint32_t>(index));
    }
    std::memcpy(page.data() + at, &bucket, sizeof bucket);
  }
}

void StoreLayout::load_entries(const TableDefinition& definition, const TableLayout& table,
                               PartitionId partition, std::uint64_t area_offset,
                               std::span<std::byte> page) const {
  const std::uint32_t stride = table.format.stride();
  const std::uint64_t first = area_offset / stride;
  if (table.format.lines() == 1) {
    // Short records never straddle pages and are composed in place.
    const std::uint64_t last = std::min(first + page.size() / stride, table.initial_records);
    for (std::uint64_t entry = first; entry < last; ++entry) {
      std::byte* record = page.data() + (entry - first) * stride;
      store_word(record + kVersionOffset, kInitialVersion);
      const Key key = table.shape.key_of(entry);
      store_word(record + kKeyOffset, key);
      if (definition.load) {
        definition.load(partition, key, {record + kRecordHeaderBytes, definition.payload_bytes});
      }
    }
    return;
  }
  const std::uint64_t end = area_offset + page.size();
  std::vector<std::byte> payload(definition.payload_bytes);
  std::vector<std::byte> image(table.format.bytes());
  for (std::uint64_t entry = first; entry < table.initial_records; ++entry) {
    const std::uint64_t begin = entry * stride;
    if (begin >= end) break;
    std::fill(payload.begin(), payload.end(), std::byte{0});
    const Key key = table.shape.key_of(entry);
    if (definition.load) definition.load(partition, key, payload);
    table.format.compose(image.data(), kInitialVersion, key, payload.data());
    // A long record may have begun on an earlier page or go on in the next.
    const std::uint64_t from = std::max(begin, area_offset);
    const std::uint64_t to = std::min(begin + image.size(), end);
    if (from < to)
      std::memcpy(page.data() + (from - area_offset), image.data() + (from - begin), to - from);
  }
}

}  // namespace verbena::txn
