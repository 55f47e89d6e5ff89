// Look-ups and reads by the owner's CPU.
#include "txn/store/store.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include "txn/rest_of_range.h"
#include "txn/store/lock_word.h"

namespace verbena::txn {
Store::Store(const StoreLayout& layout, NodeId node, rdma::FirstTouchMemory& memory)
    : layout_(layout),
      node_(node),
      memory_(memory),
      states_(std::make_unique<TableState[]>(layout.placement().replicas * layout.tables())) {
  if (!layout_.placement().holds_any(node_)) return;
  for (CopyId copy = 0; copy < layout_.placement().replicas; ++copy) {
    for (std::uint32_t table = 0; table < layout_.tables(); ++table) {
      const auto id = static_cast<TableId>(table);
      const TableLayout& part = layout_.table(id);
      TableState& own = state(copy, id);
      own.next_entry = part.initial_records;
      own.hash = std::make_unique<HashIndex>(
          memory, HashIndex::Area{.main = layout_.bucket_offset(copy, id, 0),
                                  .indirect = layout_.indirect_offset(copy, id, 0),
                                  .indirect_buckets = part.indirect_buckets,
                                  .table = part.name,
                                  .capacity_setting = part.capacity_setting});
      if (copy == 0 && part.ordered) own.ordered = std::make_unique<OrderedIndex>(part.shape);
    }
  }
}

std::optional<std::uint32_t> Store::find(CopyId copy, TableId table, Key key, rdma::Core& core,
                                         std::uint32_t* probes, std::uint64_t* stamp) {
  return look_up(copy, table, key, &core, probes, stamp);
}

std::optional<std::uint32_t> Store::find_at_rest(CopyId copy, TableId table, Key key) const {
  return look_up(copy, table, key, nullptr, nullptr, nullptr);
}

std::optional<std::uint32_t> Store::look_up(CopyId copy, TableId table, Key key, rdma::Core* core,
                                            std::uint32_t* probes, std::uint64_t* stamp) const {
  const TableLayout& layout = layout_.table(table);
  const std::uint64_t main_bucket = layout.bucket_of(key);
  const std::uint64_t offset = layout_.bucket_offset(copy, table, main_bucket);
  if (memory_.filled(offset / rdma::FirstTouchMemory::kPageBytes)) {
    return state(copy, table).hash->find(main_bucket, key, core, probes, stamp);
  }
  // Buckets that nobody has touched hold initial keys only, and looking need not fill them.
  if (probes != nullptr) ++*probes;
  const std::uint64_t index = layout.shape.index_of(key);
  if (index == KeyShape::kNoIndex) return std::nullopt;
  return static_cast<std::uint32_t>(index);
}

bool Store::read(CopyId copy, TableId table, std::uint32_t entry, std::uint64_t& version, Key& key,
                 std::byte* payload, rdma::Core* core) {
  std::byte* live = record(copy, table, entry);
  const RecordFormat& format = layout_.table(table).format;
  for (;;) {
    const RecordFormat::ReadStatus status = format.read_live(live, version, key, payload, core);
    if (status == RecordFormat::ReadStatus::kOk) return true;
    if (status == RecordFormat::ReadStatus::kLocked) return false;
    if (core == nullptr) throw std::logic_error("a record changes where nothing else was to run");
    core->reach("store: record changes while it is read");
  }
}

const OrderedIndex& Store::ordered_index(TableId table) const {
  const OrderedIndex* index = state(0, table).ordered.get();
  if (index == nullptr) {
    throw std::logic_error("table " + std::to_string(table) +
                           " is not ordered and cannot be scanned");
  }
  return *index;
}

bool Store::set_aside(TableId table, Key key, std::uint64_t since,
                      const std::function<bool()>& still) {
  return state(0, table).ordered->set_aside(key, since, still);
}

void Store::set_back(TableId table, Key key) {
  if (OrderedIndex* index = state(0, table).ordered.get()) index->set_back(key);
}

// True if a key of the ordered index is there or about to be. A page that was never touched has
// only initial records, and stays untouched.
bool Store::listed(TableId table, const OrderedIndex::Item& item) {
  if (!touched(0, table, item.entry)) return true;
  std::byte* live = record(0, table, item.entry);
  const std::uint64_t lock = shared_word(live + kLockOffset).load(std::memory_order_acquire);
  const std::uint64_t version = shared_word(live + kVersionOffset).load(std::memory_order_acquire);
  if (absent(version) && lock == kUnlocked) return false;
  // Another key's: this one was erased meanwhile.
  return shared_word(live + kKeyOffset).load(std::memory_order_relaxed) == item.key;
}

// Initial records that are absent may still be listed.
std::uint64_t Store::count(TableId table, Key first, Key last) {
  const OrderedIndex& index = ordered_index(table);
  const KeyShape& initial = layout_.table(table).shape;
  std::uint64_t count = index.count_initial(first, last);
  const std::uint64_t end = initial.rank_after(last);
  for (std::uint64_t entry = next_touched(0, table, initial.rank(first)); entry < end;
       entry = next_touched(0, table, entry + 1)) {
    const auto number = static_cast<std::uint32_t>(entry);
    const OrderedIndex::Item item{.key = initial.key_of(entry), .entry = number};
    if (index.lists_initially(item.key) && !listed(table, item)) --count;
  }
  std::uint32_t nodes = 0;
  OrderedIndex::Query rest{.first = first, .last = last, .inserted_only = true};
  for (ScanBatch batch; rest.first <= rest.last;) {
    const std::size_t found = index.list(rest, batch, nodes);
    for (std::size_t i = 0; i < found; ++i) count += listed(table, batch[i]) ? 1 : 0;
    if (found < batch.size() || !go_on_behind(rest, batch.back().key)) break;
  }
  return count;
}

}  // namespace verbena::txn
