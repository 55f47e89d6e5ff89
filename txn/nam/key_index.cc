// Looking keys up, claiming and listing them.
#include "txn/nam/key_index.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "txn/nam/live_memory.h"
#include "txn/nam/touched_entries.h"
#include "txn/nam/version.h"

namespace verbena::txn::nam {

KeyIndex::KeyIndex(const Layout& layout, PartitionId partition, TableId table,
                   rdma::FirstTouchMemory& memory, Nanoseconds longest_transaction,
                   Overflow* overflow)
    : layout_(layout),
      partition_(partition),
      table_(table),
      memory_(memory),
      longest_transaction_(longest_transaction),
      overflow_(overflow),
      hash_(memory, layout.hash_area(name())),
      next_entry_(layout.table(table).keys.count()) {
  const Layout::Table& part = layout.table(table);
  if (part.ordered) ordered_ = std::make_unique<OrderedIndex>(part.keys);
}

std::optional<std::uint32_t> KeyIndex::find(Key key) {
  const Layout::Table& table = layout_.table(table_);
  const std::uint64_t index = table.keys.index_of(key);
  if (index != KeyShape::kNoIndex && holds(index, key)) return static_cast<std::uint32_t>(index);
  if (table.buckets == 0) return std::nullopt;
  return hash_.find(table.bucket_of(key), key);
}

Claim KeyIndex::claim(Key key, std::uint64_t owner, rdma::Core& core) {
  const Layout::Table& table = layout_.table(table_);
  HashIndex::Chain chain(hash_, table.bucket_of(key), key, &core);
  if (const std::uint32_t* found = chain.find(std::nullopt)) {
    core.reach("nam: key to be inserted has an entry by now");
    return {.entry = *found - 1, .fresh = 0};
  }
  // Given up, and not taken out yet.
  if (ordered_ && ordered_->find(key)) return {.entry = 0, .fresh = 0};
  const auto [entry, again] = take_entry(core.now());
  if (again) forget_old_versions(entry, core);
  std::byte* record = live(entry);
  std::vector<std::byte> image = placeholder(key);
  table.format.write_unused(record, RecordImage(image.data()), owner, core);
  core.spend(rdma::Work::kCopyLine, table.format.lines());
  core.step(record);
  chain.add(entry);
  core.step(record);
  if (ordered_) ordered_->insert(key, entry);
  return {.entry = entry, .fresh = 1};
}

std::vector<std::byte> KeyIndex::placeholder(Key key) const {
  const ImageFormat& format = layout_.table(table_).format;
  const std::vector<std::byte> nothing(format.payload_bytes());
  std::vector<std::byte> image(format.bytes());
  format.compose(RecordImage(image.data()), kNeverThere, kFirstInstall, key, nothing.data());
  return image;
}

bool KeyIndex::free_to_use(Nanoseconds now) const {
  if (free_.empty() || free_.front().since + with_slack(longest_transaction_) >= now) return false;
  return !may_reuse_ || may_reuse_(free_.front().since);
}

void KeyIndex::restore(std::uint64_t used) {
  const std::uint64_t loaded = layout_.table(table_).keys.count();
  next_entry_ = std::max(used, loaded);
  // A key that was loaded may have come again elsewhere, so all are taken out first.
  for_each_touched(layout_, memory_, name(), 0, loaded, [&](std::uint64_t entry) {
    const Key key = layout_.table(table_).keys.key_of(entry);
    if (ordered_ && !holds(entry, key)) ordered_->erase(key);
  });
  for_each_touched(layout_, memory_, name(), 0, next_entry_,
                   [&](std::uint64_t entry) { restore_entry(entry); });
}

void KeyIndex::restore_entry(std::uint64_t entry) {
  const Layout::Table& table = layout_.table(table_);
  const bool loaded = entry < table.keys.count();
  const Key key = key_in(entry);
  if (loaded && holds(entry, table.keys.key_of(entry))) return;
  if (word(entry, kLockOffset) == kGivenUp || (!loaded && version(entry) == kNeverThere)) {
    auto& lock = *reinterpret_cast<std::uint64_t*>(live(entry) + kLockOffset);
    std::atomic_ref(lock).store(kGivenUp, std::memory_order_release);
    // Nobody of earlier is left who may know it.
    free_.push_back({.entry = static_cast<std::uint32_t>(entry),
                     .since = -2 * with_slack(longest_transaction_)});
    return;
  }
  HashIndex::Chain chain(hash_, table.bucket_of(key), key, nullptr);
  static_cast<void>(chain.find(std::nullopt));
  chain.add(static_cast<std::uint32_t>(entry));
  if (ordered_) ordered_->insert(key, static_cast<std::uint32_t>(entry));
}

KeyIndex::Taken KeyIndex::take_entry(Nanoseconds now) {
  const std::lock_guard guard(freeing_);
  if (free_to_use(now)) {
    const std::uint32_t entry = free_.front().entry;
    free_.pop_front();
    return {.entry = entry, .again = true};
  }
  const std::uint64_t entry = next_entry_.load(std::memory_order_relaxed);
  if (entry == layout_.table(table_).entries) {
    const TableDefinition& definition = layout_.schema()[table_];
    refuse_more(definition.name, definition.capacity_setting, entry, "records");
  }
  next_entry_.store(entry + 1, std::memory_order_relaxed);
  return {.entry = static_cast<std::uint32_t>(entry), .again = false};
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
  const Layout::Table& table = layout_.table(table_);
  HashIndex::Chain chain(hash_, table.bucket_of(key), key, &core);
  core.reach("nam: erased record taken out of the indexes");
  if (ordered_) ordered_->erase(key);
  core.step(live(entry));
  // Keys that were loaded are in no bucket, as long as they are where they were.
  if (std::uint32_t* slot = chain.find(entry)) chain.remove(slot);
  const std::lock_guard guard(freeing_);
  free_.push_back({.entry = entry, .since = core.now()});
}

std::uint64_t KeyIndex::word(std::uint64_t entry, std::uint32_t offset_in_record) {
  const std::uint64_t offset = layout_.current(name(), entry).offset + offset_in_record;
  if (!memory_.filled(offset / rdma::FirstTouchMemory::kPageBytes)) return kInitialVersion;
  auto& word = *reinterpret_cast<std::uint64_t*>(memory_.at(offset, sizeof(std::uint64_t)));
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

std::size_t KeyIndex::list(OrderedIndex::Query range, std::uint32_t wanted,
                           std::span<ListedKey> items, Stop& stop, std::uint32_t& probes,
                           const LeaveOut& leave_out) {
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
  while (range.first <= range.last) {
    stop.more = enough();
    if (stop.more) break;
    const std::size_t most = std::min<std::size_t>(kBatch, wanted - there);
    const std::size_t found = ordered().list(range, std::span(batch).first(most), probes);
    for (std::size_t i = 0; i < found; ++i) {
      stop.more = enough();
      if (stop.more) return listed;
      const OrderedIndex::Item& item = batch[i];
      ++looks;
      ++probes;
      stop.reached = item.key;
      const ListedKey key{.key = item.key, .version = version(item.entry), .entry = item.entry};
      if (leave_out(key) || key.version == kNeverThere) continue;
      items[listed++] = key;
      if (!deleted(key.version)) ++there;
    }
    if (found < most || stop.reached == (range.descending ? range.first : range.last)) break;
    (range.descending ? range.last : range.first) =
        range.descending ? stop.reached - 1 : stop.reached + 1;
  }
  return listed;
}

// Nobody else changes the lock of a record that is locked: compare-and-swaps find another word.
ReleaseReply KeyIndex::release(const ReleaseRequest& asked, rdma::Core& core) {
  constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;
  constexpr std::uint64_t kMostLooks = 1024;  // others want to be served, too
  const std::uint64_t stride = layout_.table(table_).format.stride();
  const std::uint64_t area = layout_.current(name(), 0).offset;
  const std::uint64_t end = used_entries();
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
    core.reach("nam: lock of a dead server released");
    auto& there = *reinterpret_cast<std::uint64_t*>(live(entry) + kLockOffset);
    std::atomic_ref(there).store(version(entry), std::memory_order_release);
    ++reply.released;
  }
  return reply;
}

std::uint64_t KeyIndex::used_entries() const {
  return std::min(next_entry_.load(std::memory_order_relaxed), layout_.table(table_).entries);
}

const OrderedIndex& KeyIndex::ordered() const {
  if (ordered_ == nullptr) {
    throw std::logic_error("table " + std::to_string(table_) +
                           " is not ordered and cannot be scanned");
  }
  return *ordered_;
}

}  // namespace verbena::txn::nam
