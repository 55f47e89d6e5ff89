// Offsets, addresses, and what pages hold at first.
#include "txn/nam/records/layout.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "txn/index/bucket.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;
constexpr std::uint64_t kKib = 1024;
/// How much larger a generation of hash buckets is than the one before.
constexpr std::uint64_t kGrowth = 4;

constexpr std::uint64_t up_to_pages(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

bool keeps_records(const View& view, NodeId node) {
  return view.role(node) == Role::kMemory || view.role(node) == Role::kBoth;
}

std::vector<NodeId> memory_servers(const View& view) {
  std::vector<NodeId> servers;
  for (std::uint32_t n = 0; n < view.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (keeps_records(view, node)) servers.push_back(node);
  }
  return servers;
}

}  // namespace

Layout::Layout(const Deployment& deployment, const Shape& shape)
    : schema_(deployment.schema),
      view_(deployment.view),
      shape_(shape),
      keepers_(memory_servers(view_)),
      fibers_(view_, shape.clients, deployment.fibers),
      vector_(view_, shape, fibers_, keepers_) {
  for (const TableDefinition& definition : schema_) {
    const std::uint64_t entries = definition.initial_records + definition.insert_capacity;
    if (entries > UINT32_MAX) {
      throw ConfigurationError("table '" + definition.name + "': " + std::to_string(entries) +
                               " records per partition; allowed are at most " +
                               std::to_string(UINT32_MAX));
    }
    Table table{.format = ImageFormat(definition.payload_bytes),
                .keys = definition.key_shape(),
                .ordered = definition.ordered,
                .entries = entries,
                .current = 0,
                .headers = 0,
                .old = 0,
                .hash = generations(definition.insert_capacity)};
    const auto take = [&](std::uint64_t bytes) {
      return std::exchange(partition_bytes_, partition_bytes_ + up_to_pages(bytes));
    };
    table.current = take(entries * table.format.stride());
    table.headers = take(entries * headers_of_record() * sizeof(OldHeader));
    table.old = take(entries * shape.versions * table.format.stride());
    for (Buckets& buckets : table.hash) {
      buckets.main_area = take(buckets.main * Bucket::kBytes);
      buckets.indirect_area = take(buckets.indirect * Bucket::kBytes);
    }
    tables_.push_back(table);
  }
  check_overflow();
  std::vector<std::uint32_t> held(view_.nodes());
  for (std::uint32_t p = 0; p < view_.partitions(); ++p) {
    place_.push_back(held[view_.primary(static_cast<PartitionId>(p))]++);
  }
}

// All but the last may have to hold more than they are made for until the next one is filled.
std::vector<Layout::Buckets> Layout::generations(std::uint64_t capacity) const {
  if (capacity == 0) return {};
  const std::uint64_t last = main_buckets_for(capacity, shape_.bucket_slots_percent);
  std::vector<Buckets> all;
  const auto add = [&all](std::uint64_t main, std::uint64_t indirect) {
    all.push_back({.main = main, .indirect = indirect, .main_area = 0, .indirect_area = 0});
  };
  if (grows()) {
    for (std::uint64_t main = std::bit_ceil(std::uint64_t{shape_.first_buckets}); main < last;
         main *= kGrowth) {
      add(main, main + capacity / Bucket::kSlots + 1);
    }
  }
  add(last, indirect_buckets_for(capacity));
  return all;
}

bool Layout::keeps(NodeId node) const { return keeps_records(view_, node); }

bool Layout::collects() const { return std::ranges::any_of(tables_, &Table::collects); }

std::uint64_t Layout::records_bytes(NodeId node) const {
  return view_.primaries(node).size() * partition_bytes_ +
         (overflows() ? overflow_bytes() + hint_bytes() : 0) + (grows() ? kPage : 0);
}

std::uint64_t Layout::hint_bytes() const { return up_to_pages(fibers_.end() * kCacheLineBytes); }

std::uint64_t Layout::overflow_bytes() const {
  return up_to_pages(std::uint64_t{shape_.overflow_kib} * kKib);
}

std::uint64_t Layout::overflow_lines() const {
  return std::uint64_t{shape_.overflow_kib} * kKib / kCacheLineBytes;
}

// A version has a line before it.
void Layout::check_overflow() const {
  if (!overflows()) return;
  std::uint32_t most = 0;
  for (const Table& table : tables_) most = std::max(most, table.format.stride());
  const std::uint64_t least = (most + kCacheLineBytes + kKib - 1) / kKib;
  if (shape_.overflow_kib >= least) return;
  throw ConfigurationError("nam.overflow_kib " + std::to_string(shape_.overflow_kib) +
                           "; allowed are 0, and from " + std::to_string(least) +
                           " on: room for one version of the largest record");
}

rdma::PageLoader Layout::loader(NodeId node) const {
  return [layout = *this, node](std::uint64_t offset, std::span<std::byte> page) {
    layout.load(node, offset, page);
  };
}

// There are no old versions at first, and no keys in buckets.
void Layout::load(NodeId node, std::uint64_t offset, std::span<std::byte> page) const {
  const std::uint64_t place = offset / partition_bytes_;
  if (place >= view_.primaries(node).size()) return;  // in overflow
  const PartitionId partition = view_.primaries(node)[place];
  const std::uint64_t within = offset % partition_bytes_;
  const auto next = std::ranges::upper_bound(tables_, within, {}, &Table::current);
  const auto number = static_cast<TableId>(next - tables_.begin() - 1);
  const Table& table = tables_[number];
  if (within >= table.headers) return;
  const TableDefinition& definition = schema_[number];
  const std::uint32_t stride = table.format.stride();
  std::vector<std::byte> image(stride);
  std::vector<std::byte> payload(definition.payload_bytes);
  const std::uint64_t first = within - table.current;
  const std::uint64_t end = first + page.size();
  for (std::uint64_t index = first / stride; index < table.keys.count() && index * stride < end;
       ++index) {
    const Key key = definition.initial_key(index);
    std::ranges::fill(payload, std::byte{0});
    if (definition.load) definition.load(partition, key, payload);
    table.format.compose(RecordImage(image.data()), kInitialVersion, kFirstInstall, key,
                         payload.data());
    const std::uint64_t begin = std::max(first, index * stride);
    const std::uint64_t until = std::min(end, (index + 1) * stride);
    std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(begin - index * stride), until - begin,
                page.begin() + static_cast<std::ptrdiff_t>(begin - first));
  }
}

RemoteAddress Layout::at(PartitionId partition, std::uint64_t offset) const {
  return {.node = view_.primary(partition),
          .region = 0,
          .offset = place_[partition] * partition_bytes_ + offset};
}

RemoteAddress Layout::current(const RecordName& name, std::uint64_t entry) const {
  const Table& table = tables_[name.table];
  return at(name.partition, table.current + entry * table.format.stride());
}

RemoteAddress Layout::headers(const RecordName& name, std::uint64_t entry) const {
  return at(name.partition,
            tables_[name.table].headers + entry * headers_of_record() * sizeof(OldHeader));
}

RemoteAddress Layout::old(const RecordName& name, std::uint64_t entry, std::uint32_t slot) const {
  const Table& table = tables_[name.table];
  return at(name.partition, table.old + (entry * shape_.versions + slot) * table.format.stride());
}

RemoteAddress Layout::behind_partitions(const RecordName& name, std::uint64_t offset) const {
  const NodeId server = view_.primary(name.partition);
  return {.node = server,
          .region = 0,
          .offset = view_.primaries(server).size() * partition_bytes_ + offset};
}

RemoteAddress Layout::overflow(const RecordName& name, std::uint32_t line) const {
  return behind_partitions(name, std::uint64_t{line} * kCacheLineBytes);
}

RemoteAddress Layout::hint(const RecordName& name, std::uint32_t fiber, std::uint32_t place) const {
  return behind_partitions(
      name, overflow_bytes() + std::uint64_t{fiber} * kCacheLineBytes + place * sizeof(OldHeader));
}

RemoteAddress Layout::bucket(const RecordName& name, std::uint32_t generation) const {
  const Table& table = tables_[name.table];
  return at(name.partition, table.hash[generation].main_area +
                                table.bucket_of(name.key, generation) * Bucket::kBytes);
}

RemoteAddress Layout::indirect_bucket(const RecordName& name, std::uint32_t generation,
                                      std::uint32_t number) const {
  return at(name.partition, tables_[name.table].hash[generation].indirect_area +
                                std::uint64_t{number} * Bucket::kBytes);
}

HashIndex::Area Layout::hash_area(const RecordName& name, std::uint32_t generation) const {
  const Buckets& buckets = tables_[name.table].hash[generation];
  return {.main = at(name.partition, buckets.main_area).offset,
          .indirect = at(name.partition, buckets.indirect_area).offset,
          .indirect_buckets = buckets.indirect,
          .table = schema_[name.table].name,
          .capacity_setting = schema_[name.table].capacity_setting};
}

// Where erased keys are taken out, entries of loaded records may be other keys' by now.
std::uint32_t Layout::generation_for(TableId table, std::uint64_t used) const {
  const Table& part = tables_[table];
  const std::uint64_t loaded = part.collects() ? 0 : part.keys.count();
  const std::uint64_t keys = used - std::min(used, loaded);
  std::uint32_t generation = 0;
  while (generation + 1 < part.hash.size() &&
         4 * keys > 3 * part.hash[generation].main * Bucket::kSlots) {
    ++generation;
  }
  return generation;
}

NodeId Layout::catalog_home(const RecordName& name) const {
  const std::uint64_t mixed =
      mix64(std::uint64_t{name.partition} << 8 * sizeof(TableId) | name.table);
  return keepers_[mixed % keepers_.size()];
}

RemoteAddress Layout::catalog_version(NodeId home) const {
  return {.node = home, .region = 0, .offset = records_bytes(home) - kPage};
}

}  // namespace verbena::txn::nam
