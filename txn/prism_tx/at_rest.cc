// Faults of slots, and keys in order.
#include "txn/prism_tx/at_rest.h"

#include <algorithm>
#include <bit>
#include <span>

#include "txn/prism_tx/records/slot.h"

namespace verbena::txn::prism_tx {
namespace {

std::span<const Key> within(const std::vector<Key>& keys, const KeyRange& range) {
  const auto first = std::ranges::lower_bound(keys, range.first);
  const auto last = std::upper_bound(first, keys.end(), range.last);
  return {first, last};
}

}  // namespace

prism::Slot ObjectsAtRest::slot_at(std::uint64_t offset) {
  const auto slot = std::bit_cast<Slot>(words_at(offset));
  return {.pointer = slot.pointer, .bytes = 0, .version = slot.committed};
}

std::string ObjectsAtRest::fault_of(const prism::SlotWords& words,
                                    const prism::ObjectHeader& object) {
  const auto slot = std::bit_cast<Slot>(words);
  if (object.version > slot.committed) {
    return "is committed up to " + std::to_string(slot.committed) + ", its object is of " +
           std::to_string(object.version);
  }
  if (slot.written == slot.committed) return {};
  if (slot.written > slot.committed && owners_.dead_client(slot.written)) {
    ++undecided_;
    return {};
  }
  return "is prepared for a write of " + std::to_string(slot.written) + ", and committed up to " +
         std::to_string(slot.committed);
}

SelfCheck ObjectsAtRest::self_check() {
  undecided_ = 0;
  SelfCheck check = SlotsAtRest::self_check();
  check.undecided = undecided_;
  return check;
}

const ObjectsAtRest::Changes& ObjectsAtRest::changes(TableId table, PartitionId partition) {
  changes_.resize(layout().schema().size());
  if (changes_[table]) return *changes_[table];
  Changes& all = changes_[table].emplace();
  const TableDefinition& definition = layout().schema()[table];
  visit_changed(table, partition, [&](Key key, bool present, std::span<const std::byte>) {
    const bool was = definition.initial_index(key).has_value();
    if (present && !was) all.come.push_back(key);
    if (!present && was) all.gone.push_back(key);
  });
  std::ranges::sort(all.come);
  std::ranges::sort(all.gone);
  return all;
}

void ObjectsAtRest::scan(const KeyRange& range, const KeyVisitor& visitor) {
  const Changes& all = changes(range.table, range.partition);
  const KeyShape shape = layout().schema()[range.table].key_shape();
  const std::span<const Key> come = within(all.come, range);
  std::vector<Key> keys(come.begin(), come.end());
  for (std::uint64_t i = shape.rank(range.first); i < shape.rank_after(range.last); ++i) {
    const Key key = shape.key_of(i);
    if (!std::ranges::binary_search(all.gone, key)) keys.push_back(key);
  }
  std::inplace_merge(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(come.size()),
                     keys.end());
  if (range.descending) std::ranges::reverse(keys);
  for (const Key key : keys) {
    if (!visitor(key)) return;
  }
}

std::uint64_t ObjectsAtRest::count(const KeyRange& range) {
  const Changes& all = changes(range.table, range.partition);
  const KeyShape shape = layout().schema()[range.table].key_shape();
  return shape.rank_after(range.last) - shape.rank(range.first) + within(all.come, range).size() -
         within(all.gone, range).size();
}

}  // namespace verbena::txn::prism_tx
