// Look-ups and reads by the owner's CPU.
#include "txn/store/store.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include "txn/store/lock_word.h"

namespace verbena::txn {
namespace {

template <typename T>
T load_relaxed(T& word) {
  return std::atomic_ref<T>(word).load(std::memory_order_relaxed);
}

// What a look-up in one bucket finds, read consistently.
struct BucketView {
  std::optional<std::uint32_t> entry;
  std::uint32_t link;
  std::uint64_t version;
};

BucketView look_up(Bucket& bucket, Key wanted, rdma::Core* core) {
  constexpr unsigned kPatience = 64;
  for (unsigned looks = 1;; ++looks) {
    const std::uint64_t before =
        std::atomic_ref(bucket.lines[0].version).load(std::memory_order_acquire);
    BucketView view{
        .entry = std::nullopt, .link = load_relaxed(bucket.lines[0].link), .version = before};
    for (Bucket::Line& line : bucket.lines) {
      step(core, &bucket);
      for (unsigned i = 0; i < Bucket::kSlotsPerLine; ++i) {
        if (load_relaxed(line.keys[i]) != wanted) continue;
        const std::uint32_t stored = load_relaxed(line.entries[i]);
        if (stored != 0) view.entry = stored - 1;
      }
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && load_relaxed(bucket.lines[0].version) == before) return view;
    reach(core, "store: bucket changes while it is looked through");
    if (core != nullptr && looks % kPatience == 0) core->give_way();
  }
}

}  // namespace

Store::Store(const StoreLayout& layout, NodeId node, rdma::FirstTouchMemory& memory)
    : layout_(layout),
      node_(node),
      memory_(memory),
      states_(std::make_unique<TableState[]>(layout.placement().replicas * layout.tables())) {
  for (CopyId copy = 0; copy < layout_.placement().replicas; ++copy) {
    for (std::uint32_t table = 0; table < layout_.tables(); ++table) {
      const auto id = static_cast<TableId>(table);
      state(copy, id).next_entry = layout_.table(id).initial_records;
      if (copy == 0 && layout_.table(id).ordered) {
        state(copy, id).ordered = std::make_unique<OrderedIndex>(layout_.table(id).shape);
      }
    }
  }
}

std::optional<std::uint32_t> Store::find(CopyId copy, TableId table, Key key, std::uint32_t* probes,
                                         std::uint64_t* stamp, rdma::Core* core) {
  const TableLayout& layout = layout_.table(table);
  std::uint64_t offset = layout_.bucket_offset(copy, table, layout.bucket_of(key));
  if (!memory_.filled(offset / rdma::FirstTouchMemory::kPageBytes)) {
    // Buckets that nobody has touched hold initial keys only, and looking need not fill them.
    if (probes != nullptr) ++*probes;
    const std::uint64_t index = layout.shape.index_of(key);
    if (index == KeyShape::kNoIndex) return std::nullopt;
    return static_cast<std::uint32_t>(index);
  }
  for (;;) {
    if (probes != nullptr) ++*probes;
    const BucketView view = look_up(bucket(offset), key, core);
    if (stamp != nullptr) *stamp += view.version;
    if (view.entry || view.link == 0) return view.entry;
    reach(core, "store: link to another bucket followed");
    offset = layout_.indirect_offset(copy, table, view.link - 1);
  }
}

bool Store::read(CopyId copy, TableId table, std::uint32_t entry, std::uint64_t& version, Key& key,
                 std::byte* payload, rdma::Core* core) {
  std::byte* live = record(copy, table, entry);
  const RecordFormat& format = layout_.table(table).format;
  for (;;) {
    const RecordFormat::ReadStatus status = format.read_live(live, version, key, payload, core);
    if (status == RecordFormat::ReadStatus::kOk) return true;
    if (status == RecordFormat::ReadStatus::kLocked) return false;
    reach(core, "store: record changes while it is read");
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

// Whether a key of the ordered index is there or about to be. A page that was never touched has
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

std::uint64_t Store::count(TableId table, Key first, Key last) {
  const OrderedIndex& index = ordered_index(table);
  std::uint64_t count = index.count_initial(first, last);
  std::uint32_t nodes = 0;
  for (ScanBatch batch; first <= last;) {
    const std::size_t found =
        index.list({.first = first, .last = last, .inserted_only = true}, batch, nodes);
    for (std::size_t i = 0; i < found; ++i) count += listed(table, batch[i]) ? 1 : 0;
    if (found < batch.size() || batch.back().key == last) break;
    first = batch.back().key + 1;
  }
  return count;
}

}  // namespace verbena::txn
