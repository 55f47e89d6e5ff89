// Areas of whole pages, one behind the other.
#include "txn/prism/layout.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"

namespace verbena::txn::prism {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

bool lies_in(const Layout::Slots& slots, std::uint64_t offset) {
  return offset >= slots.first && offset < slots.first + slots.count * kSlotBytes;
}

}  // namespace

Layout::Layout(const Schema& schema, std::uint64_t spares, const SlotFormat& format)
    : schema_(schema), format_(format), region_bytes_(kPage) {
  for (const TableDefinition& table : schema) {
    const auto capacity = table.insert_capacity;
    Table& own = tables_.emplace_back(Table{.keys = table.key_shape(), .loaded = {}, .others = {}});
    own.loaded.count = table.initial_records;
    own.loaded.first = add_slots(own.loaded.count);
    own.others.count = capacity == 0 ? 0 : std::bit_ceil(2 * capacity);
    own.others.first = add_slots(own.others.count);
    own.list = list_for(lists_, buffer_bytes_for(kObjectHeaderBytes + table.payload_bytes));
    BufferList& list = lists_[own.list];
    const std::uint64_t all = list.loaded + list.reserve + own.loaded.count + own.others.count;
    if (all + spares > std::numeric_limits<std::uint32_t>::max() / 2) {
      throw ConfigurationError("table " + table.name + ": " + std::to_string(all + spares) +
                               " buffers of one size at a server; allowed are " +
                               std::to_string(std::numeric_limits<std::uint32_t>::max() / 2));
    }
    own.first_buffer = list.loaded;
    list.loaded += static_cast<std::uint32_t>(own.loaded.count);
    list.reserve += static_cast<std::uint32_t>(own.others.count);
  }
  region_bytes_ = place_lists(lists_, spares, region_bytes_);
}

std::uint64_t Layout::add_slots(std::uint64_t count) {
  const std::uint64_t first = region_bytes_;
  region_bytes_ += up_to_pages(count * kSlotBytes);
  return first;
}

std::optional<std::uint64_t> Layout::slot(TableId table, Key key, std::uint64_t passed) const {
  const Table& own = tables_[table];
  const std::uint64_t index = own.keys.index_of(key);
  if (index != KeyShape::kNoIndex) {
    if (passed > 0) return std::nullopt;
    return own.loaded.first + index * kSlotBytes;
  }
  if (passed >= own.others.count) return std::nullopt;
  return own.others.first + ((mix64(key) + passed) & (own.others.count - 1)) * kSlotBytes;
}

std::uint64_t Layout::loaded_object(TableId table, std::uint64_t index) const {
  return lists_[tables_[table].list].offset_of(tables_[table].first_buffer + index);
}

rdma::PageLoader Layout::loader(PartitionId partition) const {
  return [this, partition](std::uint64_t offset, std::span<std::byte> page) {
    load(partition, offset, page);
  };
}

// All else is zero.
void Layout::load(PartitionId partition, std::uint64_t offset, std::span<std::byte> page) const {
  if (offset == 0) {
    constexpr ObjectHeader kNobodys{
        .key_bytes = sizeof(Key), .value_bytes = kAbsent, .key = kNoKey};
    std::memcpy(page.data() + nobody(), &kNobodys, sizeof kNobodys);
    return;
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Slots& others = tables_[t].others;
    if (lies_in(tables_[t].loaded, offset)) {
      return load_slots(static_cast<TableId>(t), offset, page);
    }
    if (lies_in(others, offset)) {
      return load_other_slots(others.count - (offset - others.first) / kSlotBytes, page);
    }
  }
  for (std::size_t l = 0; l < lists_.size(); ++l) {
    if (!lists_[l].holds(offset)) continue;
    return lists_[l].load(offset, page, [&](std::uint64_t buffer, std::span<std::byte> object) {
      load_object(partition, static_cast<rdma::FreeListId>(l), buffer, object);
    });
  }
}

void Layout::load_slots(TableId table, std::uint64_t offset, std::span<std::byte> page) const {
  const Slots& slots = tables_[table].loaded;
  std::uint64_t index = (offset - slots.first) / kSlotBytes;
  for (std::size_t at = 0; at < page.size() && index < slots.count; at += kSlotBytes, ++index) {
    const SlotWords slot = format_.loaded(loaded_object(table, index), object_bytes(table));
    std::memcpy(page.data() + at, &slot, sizeof slot);
  }
}

// So many, from the page's first on.
void Layout::load_other_slots(std::uint64_t slots, std::span<std::byte> page) const {
  const SlotWords slot = format_.unused(nobody());
  for (std::size_t at = 0; at < page.size() && slots > 0; at += kSlotBytes, --slots) {
    std::memcpy(page.data() + at, &slot, sizeof slot);
  }
}

void Layout::load_object(PartitionId partition, rdma::FreeListId list, std::uint64_t buffer,
                         std::span<std::byte> object) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    if (table.list != list || buffer < table.first_buffer ||
        buffer - table.first_buffer >= table.loaded.count) {
      continue;
    }
    const TableDefinition& definition = schema_[t];
    const Key key = table.keys.key_of(buffer - table.first_buffer);
    const ObjectHeader header{.version = kLoadedVersion,
                              .key_bytes = sizeof key,
                              .value_bytes = definition.payload_bytes,
                              .key = key};
    std::memcpy(object.data(), &header, sizeof header);
    if (definition.load) {
      definition.load(partition, key, object.subspan(kObjectHeaderBytes, definition.payload_bytes));
    }
    return;
  }
}

}  // namespace verbena::txn::prism
