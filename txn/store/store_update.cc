// Changes of a store's indexes: records that are reserved, erased, or applied from a log.
#include <atomic>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <string>

#include "txn/store/lock_word.h"
#include "txn/store/store.h"

namespace verbena::txn {
namespace {

// A backup's lock word is taken by its own CPUs only, for the time of one update.
class ReplicaLock {
 public:
  ReplicaLock(std::byte* record, rdma::Core* core) : word_(shared_word(record + kLockOffset)) {
    std::uint64_t expected = kUnlocked;
    for (unsigned waits = 1; !word_.compare_exchange_strong(expected, 1, std::memory_order_acquire);
         ++waits) {
      expected = kUnlocked;
      if (core == nullptr) throw std::logic_error("a record is locked where nothing was to run");
      if (waits % kPatience != 0) continue;
      core->reach("store: backup's record being updated by another");
      core->give_way();
    }
  }
  ~ReplicaLock() { word_.store(kUnlocked, std::memory_order_release); }
  ReplicaLock(const ReplicaLock&) = delete;
  ReplicaLock& operator=(const ReplicaLock&) = delete;

 private:
  static constexpr unsigned kPatience = 64;
  std::atomic_ref<std::uint64_t> word_;
};

}  // namespace

// The first of the free entries that can be used, or of the next two if not `any` is good enough:
// an eraser is soon done, or its node is gone.
std::optional<Store::FreeEntry> Store::take_free_entry(TableId table, bool any, rdma::Core* core) {
  TableState& own = state(0, table);
  if (own.free_count.load(std::memory_order_relaxed) == 0) return std::nullopt;
  const std::lock_guard guard(own.freeing);
  for (std::size_t looks = any ? own.free.size() : std::min<std::size_t>(own.free.size(), 2);
       looks > 0; --looks) {
    const FreeEntry candidate = own.free.front();
    own.free.pop_front();
    std::byte* live = record(0, table, candidate.entry);
    if (shared_word(live + kVersionOffset).load(std::memory_order_acquire) == candidate.version &&
        shared_word(live + kLockOffset).load(std::memory_order_acquire) == kUnlocked) {
      own.free_count.store(own.free.size(), std::memory_order_relaxed);
      reach(core, "store: entry of an erased record used again");
      return candidate;
    }
    reach(core, "store: entry of an erased record not free yet");
    own.free.push_back(candidate);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Store::take_unused_entry(TableId table) {
  std::atomic<std::uint64_t>& next = state(0, table).next_entry;
  const std::uint64_t capacity = layout_.table(table).entries;
  if (next.load(std::memory_order_relaxed) >= capacity) return std::nullopt;
  const std::uint64_t entry = next.fetch_add(1, std::memory_order_relaxed);
  if (entry >= capacity) return std::nullopt;
  return static_cast<std::uint32_t>(entry);
}

// An absent record of `key` that nobody can find yet.
Store::Reservation Store::make_placeholder(TableId table, Key key, std::uint64_t owner,
                                           rdma::Core* core) {
  const RecordFormat& format = layout_.table(table).format;
  auto reuse = take_free_entry(table, false, core);
  if (!reuse) {
    if (const auto entry = take_unused_entry(table)) {
      std::byte* live = record(0, table, *entry);
      assert(load_word(live + kLockOffset) == kUnlocked);
      assert(load_word(live + kVersionOffset) == 0);
      shared_word(live + kLockOffset).store(owner, std::memory_order_relaxed);
      shared_word(live + kKeyOffset).store(key, std::memory_order_relaxed);
      return {.entry = *entry, .version = 0, .locked = owner != kUnlocked};
    }
    reuse = take_free_entry(table, true, core);
  }
  if (!reuse) {
    const TableLayout& full = layout_.table(table);
    refuse_more(full.name, full.capacity_setting, full.entries, "records");
  }
  assert(absent(reuse->version));
  const std::uint64_t version = next_version(reuse->version, false);
  format.write_absent(record(0, table, reuse->entry), version, key, core);
  return {.entry = reuse->entry, .version = version, .locked = false};
}

Store::Reservation Store::reserve(TableId table, Key key, std::uint64_t owner, rdma::Core* core) {
  const std::uint64_t main_bucket = layout_.table(table).bucket_of(key);
  HashIndex::Chain chain(*state(0, table).hash, main_bucket, key, core);
  if (const std::uint32_t* found = chain.find(std::nullopt)) {
    const std::uint32_t entry = *found - 1;
    const std::uint64_t version =
        shared_word(record(0, table, entry) + kVersionOffset).load(std::memory_order_acquire);
    if (absent(version)) {
      reach(core, "store: insert finds a placeholder");
    } else {
      reach(core, "store: insert finds a record");
    }
    return {.entry = entry, .version = version, .locked = false};
  }
  const Reservation placeholder = make_placeholder(table, key, owner, core);
  const std::byte* live = record(0, table, placeholder.entry);
  step(core, live);
  chain.add(placeholder.entry);
  step(core, live);
  if (OrderedIndex* ordered = state(0, table).ordered.get()) {
    ordered->insert(key, placeholder.entry);
  }
  return placeholder;
}

void Store::unindex(TableId table, Key key, std::uint32_t entry, std::uint64_t version,
                    rdma::Core* core) {
  assert(absent(version));
  remove_from_index(0, table, key, entry, core);
  step(core, record(0, table, entry));
  TableState& own = state(0, table);
  const std::lock_guard guard(own.freeing);
  own.free.push_back({.entry = entry, .version = version});
  own.free_count.store(own.free.size(), std::memory_order_relaxed);
}

void Store::add_to_index(CopyId copy, TableId table, Key key, std::uint32_t entry,
                         rdma::Core* core) {
  const std::uint64_t main_bucket = layout_.table(table).bucket_of(key);
  HashIndex::Chain chain(*state(copy, table).hash, main_bucket, key, core);
  if (chain.find(entry) == nullptr) chain.add(entry);
}

void Store::remove_from_index(CopyId copy, TableId table, Key key, std::uint32_t entry,
                              rdma::Core* core) {
  const std::uint64_t main_bucket = layout_.table(table).bucket_of(key);
  HashIndex::Chain chain(*state(copy, table).hash, main_bucket, key, core);
  std::uint32_t* slot = chain.find(entry);
  if (slot == nullptr) {
    throw std::logic_error("table " + std::to_string(table) + ": key " + std::to_string(key) +
                           " is not in entry " + std::to_string(entry));
  }
  if (OrderedIndex* ordered = state(copy, table).ordered.get()) ordered->erase(key);
  step(core, record(copy, table, entry));
  chain.remove(slot);
}

void Store::count_as_used(CopyId copy, TableId table, std::uint32_t entry) {
  std::atomic<std::uint64_t>& next = state(copy, table).next_entry;
  std::uint64_t used = next.load(std::memory_order_relaxed);
  while (used <= entry && !next.compare_exchange_weak(used, std::uint64_t{entry} + 1)) {
  }
}

Store::Applied Store::apply(CopyId copy, TableId table, std::uint32_t entry, Key key,
                            std::uint64_t version, const std::byte* payload, rdma::Core* core) {
  std::byte* live = record(copy, table, entry);
  const ReplicaLock lock(live, core);
  const std::uint64_t before = shared_word(live + kVersionOffset).load(std::memory_order_relaxed);
  if (version == before) return Applied::kNothing;
  if (change_count(version) <= change_count(before)) {
    // Log rings begin with updates that change nothing.
    if (version != kInitialVersion) reach(core, "store: backup ignores an older update");
    return Applied::kNothing;
  }
  const Key key_before = shared_word(live + kKeyOffset).load(std::memory_order_relaxed);
  layout_.table(table).format.write_live(live, version, key, payload, core);
  // Most updates are of what is and stays there.
  if (key_before == key && before != 0 && ((before | version) & kAbsent) == 0) {
    return Applied::kWritten;
  }
  if (before == 0) count_as_used(copy, table, entry);
  // Still locked, so that the index follows the changes of one entry in their order.
  if (!absent(before) && key_before != key) reach(core, "store: backup's entry gets another key");
  if (!absent(before)) remove_from_index(copy, table, key_before, entry, core);
  if (!absent(version)) add_to_index(copy, table, key, entry, core);
  return Applied::kIndexed;
}

}  // namespace verbena::txn
