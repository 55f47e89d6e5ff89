// Reading a store that is at rest.
#include "txn/store/store_at_rest.h"

#include <cassert>
#include <optional>
#include <vector>

#include "txn/store/record.h"
#include "txn/store/table_audit.h"

namespace verbena::txn {

void StoreAtRest::check_partition([[maybe_unused]] PartitionId partition) const {
  assert(store_.layout().placement().partition_of(store_.node(), 0) == partition);
}

bool StoreAtRest::get(const RecordName& name, std::span<std::byte> payload) {
  check_partition(name.partition);
  assert(payload.size() == schema_[name.table].payload_bytes);
  std::uint64_t version = 0;
  Key found = 0;
  const auto entry = store_.find_at_rest(0, name.table, name.key);
  return entry && store_.read(0, name.table, *entry, version, found, payload.data(), nullptr) &&
         !absent(version);
}

void StoreAtRest::visit_changed(TableId table, PartitionId partition,
                                const ChangedRecord& visitor) {
  check_partition(partition);
  std::vector<std::byte> payload(schema_[table].payload_bytes);
  const std::uint64_t used = store_.used_entries(0, table);
  for (std::uint64_t entry = store_.next_touched(0, table, 0); entry < used;
       entry = store_.next_touched(0, table, entry + 1)) {
    visit_entry(table, static_cast<std::uint32_t>(entry), payload, visitor);
  }
}

// A key may have had several entries. Of those without a present record the one that its index
// leads to stands for it, or, if none has it, the one that it had initially.
void StoreAtRest::visit_entry(TableId table, std::uint32_t entry, std::span<std::byte> payload,
                              const ChangedRecord& visitor) {
  const TableLayout& layout = store_.layout().table(table);
  const std::byte* live = store_.record(0, table, entry);
  const Key key = load_word(live + kKeyOffset);
  const bool present = !absent(load_word(live + kVersionOffset));
  if (present) {
    layout.format.extract(live, payload.data());
    visitor(key, true, payload);
  }
  if (entry < layout.initial_records) {
    const Key initial = layout.shape.key_of(entry);
    if (present && initial == key) return;
    if (store_.find_at_rest(0, table, initial).value_or(entry) == entry)
      visitor(initial, false, {});
    if (initial == key) return;
  }
  if (!present && store_.find_at_rest(0, table, key) == entry) visitor(key, false, {});
}

void StoreAtRest::scan(const KeyRange& range, const KeyVisitor& visitor) {
  check_partition(range.partition);
  std::uint32_t probes = 0;
  store_.scan(
      range.table, range.first, range.last, range.descending,
      [&](Key key, std::uint32_t) { return visitor(key); }, &probes);
}

std::uint64_t StoreAtRest::count(const KeyRange& range) {
  check_partition(range.partition);
  return store_.count(range.table, range.first, range.last);
}

SelfCheck StoreAtRest::self_check() {
  SelfCheck check;
  const Placement& placement = store_.layout().placement();
  if (!placement.holds_any(store_.node())) return check;
  for (CopyId copy = 0; copy < placement.replicas; ++copy) {
    check.copies.push_back({.partition = placement.partition_of(store_.node(), copy),
                            .primary = copy == 0,
                            .digest = 0});
    for (std::size_t table = 0; table < schema_.size(); ++table) {
      TableAudit(store_, schema_[table], copy, static_cast<TableId>(table), check).run();
    }
  }
  return check;
}

}  // namespace verbena::txn
