// Look-ups, inserts and updates by the owner's CPU.
#include "txn/store.h"

#include <atomic>
#include <string>

#include "rdma/seam/errors.h"
#include "txn/lock_word.h"

namespace verbena::txn {
namespace {

template <typename T>
T load_relaxed(T& word) {
  return std::atomic_ref<T>(word).load(std::memory_order_relaxed);
}

template <typename T>
void store_relaxed(T& word, T value) {
  std::atomic_ref<T>(word).store(value, std::memory_order_relaxed);
}

// What a look-up in one bucket finds, read consistently.
struct BucketView {
  std::optional<std::uint32_t> entry;
  std::uint32_t link;
};

BucketView look_up(Bucket& bucket, Key wanted) {
  for (;;) {
    const std::uint64_t before =
        std::atomic_ref(bucket.lines[0].version).load(std::memory_order_acquire);
    BucketView view{.entry = std::nullopt, .link = load_relaxed(bucket.lines[0].link)};
    for (Bucket::Line& line : bucket.lines) {
      for (unsigned i = 0; i < Bucket::kSlotsPerLine; ++i) {
        if (load_relaxed(line.keys[i]) != wanted) continue;
        const std::uint32_t stored = load_relaxed(line.entries[i]);
        if (stored != 0) view.entry = stored - 1;
      }
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && load_relaxed(bucket.lines[0].version) == before) return view;
  }
}

// Makes a bucket's versions odd for its scope.
class BucketChange {
 public:
  explicit BucketChange(Bucket& bucket)
      : bucket_(bucket), version_(load_relaxed(bucket.lines[0].version)) {
    for (Bucket::Line& line : bucket_.lines) store_relaxed(line.version, version_ + 1);
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~BucketChange() {
    for (Bucket::Line& line : bucket_.lines) {
      std::atomic_ref(line.version).store(version_ + 2, std::memory_order_release);
    }
  }
  BucketChange(const BucketChange&) = delete;
  BucketChange& operator=(const BucketChange&) = delete;

 private:
  Bucket& bucket_;
  std::uint64_t version_;
};

bool place(Bucket& bucket, Key key, std::uint32_t entry) {
  for (Bucket::Line& line : bucket.lines) {
    for (unsigned i = 0; i < Bucket::kSlotsPerLine; ++i) {
      if (line.entries[i] != 0) continue;
      const BucketChange change(bucket);
      store_relaxed(line.keys[i], key);
      store_relaxed(line.entries[i], entry + 1);
      return true;
    }
  }
  return false;
}

// A backup's lock word is taken by its own CPUs only, for the time of one update.
class ReplicaLock {
 public:
  explicit ReplicaLock(std::byte* record) : word_(shared_word(record + kLockOffset)) {
    std::uint64_t expected = kUnlocked;
    while (!word_.compare_exchange_weak(expected, 1, std::memory_order_acquire))
      expected = kUnlocked;
  }
  ~ReplicaLock() { word_.store(kUnlocked, std::memory_order_release); }
  ReplicaLock(const ReplicaLock&) = delete;
  ReplicaLock& operator=(const ReplicaLock&) = delete;

 private:
  std::atomic_ref<std::uint64_t> word_;
};

}  // namespace

Store::Store(const StoreLayout& layout, rdma::NodeId node, rdma::FirstTouchMemory& memory)
    : layout_(layout),
      node_(node),
      memory_(memory),
      states_(std::make_unique<TableState[]>(layout.placement().replicas * layout.tables())) {
  for (CopyId copy = 0; copy < layout_.placement().replicas; ++copy) {
    for (std::uint32_t table = 0; table < layout_.tables(); ++table) {
      const auto id = static_cast<TableId>(table);
      state(copy, id).next_entry = layout_.table(id).initial_records;
    }
  }
}

std::optional<std::uint32_t> Store::find(CopyId copy, TableId table, Key key,
                                         std::uint32_t* probes) {
  std::uint64_t offset = layout_.bucket_offset(copy, table, layout_.table(table).bucket_of(key));
  for (;;) {
    if (probes != nullptr) ++*probes;
    const BucketView view = look_up(bucket(offset), key);
    if (view.entry || view.link == 0) return view.entry;
    offset = layout_.indirect_offset(copy, table, view.link - 1);
  }
}

bool Store::read(CopyId copy, TableId table, std::uint32_t entry, std::uint64_t& version, Key& key,
                 std::byte* payload) {
  std::byte* live = record(copy, table, entry);
  const RecordFormat& format = layout_.table(table).format;
  for (;;) {
    const RecordFormat::ReadStatus status = format.read_live(live, version, key, payload);
    if (status == RecordFormat::ReadStatus::kOk) return true;
    if (status == RecordFormat::ReadStatus::kLocked) return false;
  }
}

bool Store::add_to_index(CopyId copy, TableId table, TableState& state, Key key,
                         std::uint32_t entry) {
  const TableLayout& layout = layout_.table(table);
  Bucket* current = &bucket(layout_.bucket_offset(copy, table, layout.bucket_of(key)));
  while (!place(*current, key, entry)) {
    if (current->lines[0].link == 0) {
      if (state.next_indirect == layout.indirect_buckets) return false;
      const std::uint32_t fresh = state.next_indirect++;
      place(bucket(layout_.indirect_offset(copy, table, fresh)), key, entry);
      const BucketChange change(*current);
      store_relaxed(current->lines[0].link, fresh + 1);
      return true;
    }
    current = &bucket(layout_.indirect_offset(copy, table, current->lines[0].link - 1));
  }
  return true;
}

std::optional<std::uint32_t> Store::insert(CopyId copy, TableId table, Key key,
                                           std::span<const std::byte> payload) {
  TableState& table_state = state(copy, table);
  const std::lock_guard guard(table_state.inserting);
  if (find(copy, table, key)) return std::nullopt;
  const TableLayout& layout = layout_.table(table);
  if (table_state.next_entry == layout.entries) {
    throw ConfigurationError(
        "table " + std::to_string(table) + ": all " + std::to_string(layout.entries) +
        " records per partition are in use; allowed is a larger insert_capacity");
  }
  const auto entry = static_cast<std::uint32_t>(table_state.next_entry++);
  layout.format.write_live(record(copy, table, entry), kInitialVersion, key, payload.data());
  if (!add_to_index(copy, table, table_state, key, entry)) {
    throw ConfigurationError("table " + std::to_string(table) + ": all " +
                             std::to_string(layout.indirect_buckets) +
                             " indirect buckets are in use; allowed is a larger insert_capacity");
  }
  return entry;
}

bool Store::apply(CopyId copy, TableId table, std::uint32_t entry, Key key, std::uint64_t version,
                  const std::byte* payload) {
  std::byte* live = record(copy, table, entry);
  const TableLayout& layout = layout_.table(table);
  bool is_new = false;
  {
    const ReplicaLock lock(live);
    const std::uint64_t current =
        shared_word(live + kVersionOffset).load(std::memory_order_relaxed);
    if (version <= current) return false;
    is_new = current == 0;
    layout.format.write_live(live, version, key, payload);
  }
  if (is_new) {
    TableState& table_state = state(copy, table);
    const std::lock_guard guard(table_state.inserting);
    if (table_state.next_entry <= entry) table_state.next_entry = entry + 1;
    if (!find(copy, table, key)) add_to_index(copy, table, table_state, key, entry);
  }
  return true;
}

bool Store::touched(CopyId copy, TableId table, std::uint32_t entry) const {
  const std::uint64_t begin = layout_.record_offset(copy, table, entry);
  const std::uint64_t last = begin + layout_.table(table).format.bytes() - 1;
  return memory_.filled(begin / rdma::FirstTouchMemory::kPageBytes) ||
         memory_.filled(last / rdma::FirstTouchMemory::kPageBytes);
}

std::uint64_t Store::used_entries(CopyId copy, TableId table) const {
  return state(copy, table).next_entry;
}

}  // namespace verbena::txn
