// Looking at the slots that were touched.
#include "txn/prism/state_at_rest.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "txn/prism/buffers/buffer_books.h"

namespace verbena::txn::prism {
namespace {

constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

}  // namespace

SlotWords SlotsAtRest::words_at(std::uint64_t offset) {
  SlotWords words;
  std::memcpy(&words, region_.at(offset, sizeof words), sizeof words);
  return words;
}

Slot SlotsAtRest::slot_at(std::uint64_t offset) { return std::bit_cast<Slot>(words_at(offset)); }

ObjectHeader SlotsAtRest::header_at(std::uint64_t offset) {
  ObjectHeader header;
  std::memcpy(&header, region_.at(offset, sizeof header), sizeof header);
  return header;
}

const std::byte* SlotsAtRest::value_at(const Slot& slot, std::uint32_t bytes) {
  return region_.at(slot.pointer, kObjectHeaderBytes + std::uint64_t{bytes}) + kObjectHeaderBytes;
}

bool SlotsAtRest::get(const RecordName& name, std::span<std::byte> payload) {
  for (std::uint64_t passed = 0;; ++passed) {
    const std::optional<std::uint64_t> at = layout_.slot(name.table, name.key, passed);
    const Slot slot = at ? slot_at(*at) : Slot{};
    if (slot.version == 0) return false;
    const ObjectHeader header = header_at(slot.pointer);
    if (header.key != name.key) continue;
    if (header.value_bytes != payload.size()) return false;
    std::memcpy(payload.data(), value_at(slot, header.value_bytes), payload.size());
    return true;
  }
}

// Skips pages that nobody has looked at: all on them is as it was loaded.
void SlotsAtRest::visit_touched(const Layout::Slots& slots, std::uint64_t first_number,
                                const SlotVisitor& visitor) {
  const std::uint64_t end = slots.first + slots.count * kSlotBytes;
  rdma::FirstTouchMemory& memory = region_.memory();
  for (std::uint64_t page = memory.next_filled(slots.first / kPage); page * kPage < end;
       page = memory.next_filled(page + 1)) {
    for (std::uint64_t at = page * kPage; at < std::min(end, (page + 1) * kPage);
         at += kSlotBytes) {
      visitor(first_number + (at - slots.first) / kSlotBytes, slot_at(at));
    }
  }
}

void SlotsAtRest::visit_touched(TableId table, const SlotVisitor& visitor) {
  const Layout::Slots loaded = layout_.loaded_slots(table);
  visit_touched(loaded, 0, visitor);
  visit_touched(layout_.other_slots(table), loaded.count, visitor);
}

void SlotsAtRest::visit_changed(TableId table, PartitionId /*partition*/,
                                const ChangedRecord& visitor) {
  const std::uint64_t loaded = layout_.loaded_slots(table).count;
  visit_touched(table, [&](std::uint64_t number, const Slot& slot) {
    if (slot.version == (number < loaded ? kLoadedVersion : 0)) return;
    const ObjectHeader header = header_at(slot.pointer);
    if (header.value_bytes == kAbsent) return visitor(header.key, false, {});
    const std::uint32_t bytes = layout_.schema()[table].payload_bytes;
    visitor(header.key, true, {value_at(slot, bytes), bytes});
  });
}

std::string SlotsAtRest::fault_of(const SlotWords& words, const ObjectHeader& object) {
  const auto slot = std::bit_cast<Slot>(words);
  if (object.version != slot.version) {
    return "is of version " + std::to_string(slot.version) + ", its object of " +
           std::to_string(object.version);
  }
  const std::uint32_t value = object.value_bytes == kAbsent ? 0 : object.value_bytes;
  if (slot.bytes == kObjectHeaderBytes + value) return {};
  return "has a bound of " + std::to_string(slot.bytes) + " B for an object with a value of " +
         std::to_string(value) + " B";
}

// Tells the fault of a slot that was used; empty: none.
std::string SlotsAtRest::fault(TableId table, std::uint64_t number, const Slot& slot) {
  if (!layout_.lists()[layout_.list_of(table)].begins(slot.pointer)) {
    return "points to " + std::to_string(slot.pointer) + ", where no buffer begins";
  }
  const ObjectHeader header = header_at(slot.pointer);
  const std::uint32_t value = header.value_bytes == kAbsent ? 0 : header.value_bytes;
  if (value != 0 && value != layout_.schema()[table].payload_bytes) {
    return "leads to a value of " + std::to_string(value) + " B";
  }
  const Layout::Slots loaded = layout_.loaded_slots(table);
  const std::uint64_t own = number < loaded.count ? loaded.first + number * kSlotBytes
                                                  : layout_.other_slots(table).first +
                                                        (number - loaded.count) * kSlotBytes;
  std::string inside = fault_of(words_at(own), header);
  if (!inside.empty()) return inside;
  for (std::uint64_t passed = 0;; ++passed) {
    const std::optional<std::uint64_t> at = layout_.slot(table, header.key, passed);
    if (at == own) return {};
    if (!at || slot_at(*at).version == 0) {
      return "is of key " + std::to_string(header.key) + ", which is looked for elsewhere";
    }
    if (header_at(slot_at(*at).pointer).key == header.key) {
      return "is the second one of key " + std::to_string(header.key);
    }
  }
}

SelfCheck SlotsAtRest::self_check() {
  SelfCheck check;
  for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
    const auto table = static_cast<TableId>(t);
    visit_touched(table, [&](std::uint64_t number, const Slot& slot) {
      ++check.records;
      if (slot.version == 0) return;
      const std::string what = fault(table, number, slot);
      if (what.empty()) return;
      report(check, "table " + std::to_string(t) + ": slot " + std::to_string(number) + " " + what);
    });
  }
  for (std::size_t list = 0; list < layout_.lists().size(); ++list) {
    check_books(static_cast<rdma::FreeListId>(list), check);
  }
  return check;
}

// Slots on pages that nobody has looked at lead to what was loaded for them.
void SlotsAtRest::check_books(rdma::FreeListId list, SelfCheck& check) {
  BufferBooks books(layout_.lists()[list]);
  for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
    const auto table = static_cast<TableId>(t);
    if (layout_.list_of(table) != list) continue;
    const std::uint64_t loaded = layout_.loaded_slots(table).count;
    visit_touched(table, [&](std::uint64_t number, const Slot&) {
      if (number < loaded) books.take(layout_.loaded_object(table, number));
    });
    visit_touched(table, [&](std::uint64_t, const Slot& slot) {
      if (slot.version != 0) books.add(slot.pointer);
    });
  }
  const std::uint64_t most_lost = scavenger_ == nullptr ? 0 : scavenger_->most_lost();
  books.check(server_.free_list(list), keeper_.unused_from(list), most_lost, check);
}

}  // namespace verbena::txn::prism
