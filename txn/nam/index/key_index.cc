// Looking keys up, claiming and listing them.
#include "txn/nam/index/key_index.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "rdma/base/errors.h"
#include "txn/nam/records/live_memory.h"
#include "txn/nam/records/touched_entries.h"
#include "txn/nam/records/version.h"
#include "txn/rest_of_range.h"

namespace verbena::txn::nam {

KeyIndex::KeyIndex(const Layout& layout, PartitionId partition, TableId table,
                   rdma::FirstTouchMemory& memory, Nanoseconds longest_transaction,
                   Overflow* overflow)
    : layout_(layout),
      partition_(partition),
      table_(table),
      memory_(memory),
      overflow_(overflow),
      entries_(layout.table(table).keys.count(), layout.table(table).entries, longest_transaction) {
  const Layout::Table& part = layout.table(table);
  if (part.inserts()) hash_.emplace(layout, name(), memory);
  if (part.ordered) ordered_ = std::make_unique<OrderedIndex>(part.keys);
}

std::optional<std::uint32_t> KeyIndex::find(Key key) {
  const Layout::Table& table = layout_.table(table_);
  const std::uint64_t index = table.keys.index_of(key);
  if (index != KeyShape::kNoIndex && holds(index, key)) return static_cast<std::uint32_t>(index);
  return hash_ ? hash_->find(key) : std::nullopt;
}

Claim KeyIndex::claim(Key key, std::uint32_t entry, std::uint64_t owner, rdma::Core& core) {
  check_below(key, kNoKey, "key");
  if (!hash_) refuse_further();
  GrowingHash::Chains chains(*hash_, key, &core);
  if (const auto found = chains.find()) {
    core.reach("nam: key to be inserted has an entry by now");
    return {.entry = *found, .fresh = 0};
  }
  // Given up, and not taken out yet.
  if (ordered_ && ordered_->find(key)) return {.entry = 0, .fresh = 0};
  if (entry != kAnyEntry) {
    name_allocated(entry, key, owner, core);
  } else if (take(core, entry)) {
    write_placeholder(entry, key, owner, core);
  } else {
    refuse_further();
  }
  core.step(live(entry));
  chains.add(entry);
  core.step(live(entry));
  if (ordered_) ordered_->insert(key, entry);
  return {.entry = entry, .fresh = 1};
}

void KeyIndex::refuse_further() const {
  const TableDefinition& definition = layout_.schema()[table_];
  const std::uint64_t aside = set_aside_.load(std::memory_order_relaxed);
  if (aside == 0) {
    refuse_more(definition.name, definition.capacity_setting, entries_.used(), "records");
  }
  throw ConfigurationError("table '" + definition.name + "': of " +
                           std::to_string(entries_.used()) + " records of a partition " +
                           std::to_string(aside) +
                           " are set aside, and all others are in use; allowed is a larger " +
                           definition.capacity_setting + ", or a smaller nam.extent_records");
}

bool KeyIndex::take(rdma::Core& core, std::uint32_t& entry) {
  EntryPool::Taken taken;
  if (!entries_.take(core.now(), taken)) return false;
  entry = taken.entry;
  if (taken.again) forget_old_versions(entry, core);
  return true;
}

void KeyIndex::write_placeholder(std::uint32_t entry, Key key, std::uint64_t owner,
                                 rdma::Core& core) {
  const ImageFormat& format = layout_.table(table_).format;
  std::vector<std::byte> image = placeholder(key);
  format.write_unused(live(entry), RecordImage(image.data()), owner, core);
  core.spend(rdma::Work::kCopyLine, format.lines());
}

// Nobody comes to it before it is in an index but who knows it as another key's.
void KeyIndex::name_allocated(std::uint32_t entry, Key key, std::uint64_t owner, rdma::Core& core) {
  check_allocated(entry);
  const auto store = [&](std::uint32_t offset, std::uint64_t word) {
    auto& there = *reinterpret_cast<std::uint64_t*>(live(entry) + offset);
    std::atomic_ref(there).store(word, std::memory_order_release);
    core.step(live(entry));
  };
  store(kKeyOffset, key);
  store(kLockOffset, owner);
  set_aside_.fetch_sub(1, std::memory_order_relaxed);
  core.spend(rdma::Work::kCopyLine);
}

std::size_t KeyIndex::allocate(std::uint32_t wanted, std::uint64_t owner, std::span<EntryRun> runs,
                               rdma::Core& core) {
  std::size_t used = 0;
  for (std::uint64_t left = std::min<std::uint64_t>(wanted, entries_.spare() / 2); left > 0;
       --left) {
    std::uint32_t entry = 0;
    if (!take(core, entry)) break;
    write_placeholder(entry, kNoKey, owner, core);
    set_aside_.fetch_add(1, std::memory_order_relaxed);
    const bool follows = used > 0 && runs[used - 1].first + runs[used - 1].count == entry;
    if (follows) {
      ++runs[used - 1].count;
    } else if (used < runs.size()) {
      runs[used++] = {.first = entry, .count = 1};
    } else {
      give_back(entry, core);
      break;
    }
  }
  return used;
}

void KeyIndex::free(const EntryRun& run, rdma::Core& core) {
  check_within(run.count, 0, entries_.used(), "entries in a run");
  for (std::uint32_t i = 0; i < run.count; ++i) {
    check_allocated(std::uint64_t{run.first} + i);
    give_back(run.first + i, core);
  }
}

void KeyIndex::check_allocated(std::uint64_t entry) {
  check_below(entry, entries_.used(), "entry");
  const std::uint64_t lock = word(entry, kLockOffset);
  if (key_in(entry) == kNoKey && locked(lock) && lock != kGivenUp) return;
  throw Malformed("has entry " + std::to_string(entry) + ", which is not allocated");
}

void KeyIndex::give_back(std::uint32_t entry, rdma::Core& core) {
  mark_given_up(entry);
  core.step(live(entry));
  set_aside_.fetch_sub(1, std::memory_order_relaxed);
  entries_.give_back(entry);
}

void KeyIndex::mark_given_up(std::uint64_t entry) {
  auto& lock = *reinterpret_cast<std::uint64_t*>(live(entry) + kLockOffset);
  std::atomic_ref(lock).store(kGivenUp, std::memory_order_release);
}

std::vector<std::byte> KeyIndex::placeholder(Key key) const {
  const ImageFormat& format = layout_.table(table_).format;
  const std::vector<std::byte> nothing(format.payload_bytes());
  std::vector<std::byte> image(format.bytes());
  format.compose(RecordImage(image.data()), kNeverThere, kFirstInstall, key, nothing.data());
  return image;
}

void KeyIndex::restore(std::uint64_t used) {
  const std::uint64_t loaded = layout_.table(table_).keys.count();
  used = std::max(used, loaded);
  entries_.restore(used);
  if (hash_) {
    hash_->begin_with(layout_.generation_for(table_, used));
    give_up_earlier_entries(used);
  }
  // A key that was loaded may have come again elsewhere, so all are taken out first.
  for_each_touched(layout_, memory_, name(), 0, loaded, [&](std::uint64_t entry) {
    const Key key = layout_.table(table_).keys.key_of(entry);
    if (ordered_ && !holds(entry, key)) ordered_->erase(key);
  });
  for_each_touched(layout_, memory_, name(), 0, used,
                   [&](std::uint64_t entry) { restore_entry(entry); });
}

// A key may have got another entry after the last checkpoint: journals tell of the record that came
// there, and not that the erased one's entry was given up before.
void KeyIndex::give_up_earlier_entries(std::uint64_t used) {
  const auto& loaded = layout_.table(table_).keys;
  std::unordered_map<Key, std::uint64_t> entries;
  for_each_touched(layout_, memory_, name(), 0, used, [&](std::uint64_t entry) {
    const bool at_home = entry < loaded.count() && holds(entry, loaded.key_of(entry));
    const Key key = at_home ? loaded.key_of(entry) : key_in(entry);
    if (key == kNoKey || word(entry, kLockOffset) == kGivenUp) return;
    if (entry >= loaded.count() && version(entry) == kNeverThere) return;
    const auto [other, only] = entries.try_emplace(key, entry);
    if (only) return;
    const std::uint64_t earlier = deleted(version(other->second)) ? other->second : entry;
    if (!deleted(version(earlier))) {
      refuse_second(key, other->second, entry);
    }
    if (earlier == other->second) other->second = entry;
    mark_given_up(earlier);
  });
}

void KeyIndex::refuse_second(Key key, std::uint64_t one, std::uint64_t other) const {
  throw Malformed("has the record of key " + std::to_string(key) + " of table '" +
                  layout_.schema()[table_].name + "' in entries " + std::to_string(one) + " and " +
                  std::to_string(other) + "; allowed is one");
}

void KeyIndex::restore_entry(std::uint64_t entry) {
  const Layout::Table& table = layout_.table(table_);
  const bool loaded = entry < table.keys.count();
  const Key key = key_in(entry);
  if (loaded && holds(entry, table.keys.key_of(entry))) return;
  const bool nobodys = word(entry, kLockOffset) == kGivenUp || key == kNoKey;
  if (nobodys || (!loaded && version(entry) == kNeverThere)) {
    mark_given_up(entry);
    // Nobody of earlier is left who may know it.
    entries_.give_up(static_cast<std::uint32_t>(entry), EntryPool::kLongAgo);
    return;
  }
  const std::uint64_t home = table.keys.index_of(key);
  if (home != KeyShape::kNoIndex && holds(home, key)) refuse_second(key, home, entry);
  GrowingHash::Chains chains(*hash_, key, nullptr);
  static_cast<void>(chains.find());
  chains.add(static_cast<std::uint32_t>(entry));
  if (ordered_) ordered_->insert(key, static_cast<std::uint32_t>(entry));
}

void KeyIndex::forget_old_versions(std::uint64_t entry, rdma::Core& core) {
  if (overflow_ != nullptr) return overflow_->forget(name(), entry, core);
  const std::uint64_t headers = layout_.headers(name(), entry).offset;
  clear_live(memory_.at(headers, layout_.versions() * sizeof(OldHeader)), layout_.versions());
}

std::byte* KeyIndex::live(std::uint64_t entry) {
  return memory_.at(layout_.current(name(), entry).offset, layout_.table(table_).format.bytes());
}

bool KeyIndex::holds(std::uint64_t entry, Key key) {
  const std::uint64_t offset = layout_.current(name(), entry).offset;
  if (!memory_.filled(offset / rdma::FirstTouchMemory::kPageBytes)) {
    return layout_.table(table_).keys.index_of(key) == entry;
  }
  return word(entry, kLockOffset) != kGivenUp && word(entry, kKeyOffset) == key;
}

void KeyIndex::remove(Key key, std::uint32_t entry, rdma::Core& core) {
  GrowingHash::Chains chains(*hash_, key, &core);
  core.reach("nam: erased record taken out of the indexes");
  if (ordered_) ordered_->erase(key);
  core.step(live(entry));
  // Keys that were loaded are in no bucket, as long as they are where they were.
  if (chains.find(entry)) chains.remove();
  entries_.give_up(entry, core.now());
}

std::uint64_t KeyIndex::word(std::uint64_t entry, std::uint32_t offset_in_record) {
  const std::uint64_t offset = layout_.current(name(), entry).offset + offset_in_record;
  if (!memory_.filled(offset / rdma::FirstTouchMemory::kPageBytes)) return kInitialVersion;
  auto& word = *reinterpret_cast<std::uint64_t*>(memory_.at(offset, sizeof(std::uint64_t)));
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

// Sets aside only what is not locked: whoever inserts the record again locks it first, and then has
// it set back, so where it is not locked while nobody can do that, it will be set back.
bool KeyIndex::set_aside(const ListedKey& key, const KnownVector& aside) {
  const bool erased = deleted(key.version) && key.version != kNeverThere;
  if (!erased || !aside.holds(stamp_of(key.version))) return false;
  return ordered_->set_aside(key.key, aside.number, [this, &key] {
    return word(key.entry, kLockOffset) == key.version && version(key.entry) == key.version &&
           key_in(key.entry) == key.key;
  });
}

std::size_t KeyIndex::list(OrderedIndex::Query range, std::uint32_t wanted,
                           std::span<ListedKey> items, Stop& stop, std::uint32_t& probes,
                           const LeaveOut& leave_out, const KnownVector& aside,
                           const WasSetAside& was_set_aside) {
  constexpr std::size_t kBatch = 32;
  constexpr std::uint32_t kMostLooks = 1024;  // others want to be served, too
  std::array<OrderedIndex::Item, kBatch> batch;
  std::size_t listed = 0;
  std::uint32_t there = 0;
  stop = {};
  std::uint32_t looks = 0;
  const auto enough = [&] {
    return listed == items.size() || there == wanted || looks == kMostLooks;
  };
  std::size_t most = std::min<std::size_t>(kBatch, wanted);
  // Where many are not there, more are looked at at a time.
  for (; range.first <= range.last; most = std::min(kBatch, 2 * most)) {
    stop.more = enough();
    if (stop.more) break;
    const std::size_t found = ordered().list(range, std::span(batch).first(most), probes);
    for (std::size_t i = 0; i < found; ++i) {
      stop.more = enough();
      if (stop.more) return listed;
      const OrderedIndex::Item& item = batch[i];
      ++looks;
      ++probes;
      stop.reached = item.key;
      const ListedKey key{.key = item.key, .version = version(item.entry), .entry = item.entry};
      if (set_aside(key, aside)) was_set_aside(key);
      if (leave_out(key) || key.version == kNeverThere) continue;
      items[listed++] = key;
      if (!deleted(key.version)) ++there;
    }
    if (found < most || !go_on_behind(range, stop.reached)) break;
  }
  return listed;
}

// Nobody else changes the lock of a record that is locked: compare-and-swaps find another word.
ReleaseReply KeyIndex::release(const ReleaseRequest& asked, rdma::Core& core) {
  constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;
  constexpr std::uint64_t kMostLooks = 1024;  // others want to be served, too
  const std::uint64_t stride = layout_.table(table_).format.stride();
  const std::uint64_t area = layout_.current(name(), 0).offset;
  const std::uint64_t end = entries_.used();
  ReleaseReply reply{.next = kAllReleased, .released = 0};
  std::uint64_t looks = 0;
  for (std::uint64_t entry = asked.from; entry < end; ++entry) {
    const std::uint64_t page = (area + entry * stride) / kPage;
    const std::uint64_t filled = memory_.next_filled(page);
    if (filled != page) {
      if (filled * kPage >= area + end * stride) break;
      entry = (filled * kPage - area + stride - 1) / stride - 1;
      continue;
    }
    if (looks++ == kMostLooks) {
      reply.next = entry;
      break;
    }
    core.spend(rdma::Work::kRecordAccess);
    const std::uint64_t lock = word(entry, kLockOffset);
    const std::uint32_t slot = stamp_of(lock).slot;
    if (!locked(lock) || slot < asked.first_slot || slot > asked.last_slot) continue;
    if (key_in(entry) == kNoKey) {
      core.reach("nam: entry that was allocated to a dead server freed");
      give_back(static_cast<std::uint32_t>(entry), core);
      continue;
    }
    core.reach("nam: lock of a dead server released");
    auto& there = *reinterpret_cast<std::uint64_t*>(live(entry) + kLockOffset);
    std::atomic_ref(there).store(version(entry), std::memory_order_release);
    ++reply.released;
  }
  return reply;
}

const OrderedIndex& KeyIndex::ordered() const {
  if (ordered_ == nullptr) {
    throw Malformed("has a scan of table " + std::to_string(table_) + ", which is not ordered");
  }
  return *ordered_;
}

}  // namespace verbena::txn::nam
