// A set-associative table of atomic words that grows by generations.
#include "txn/index/location_cache.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "rdma/base/random.h"

namespace verbena::txn {
namespace {

// The upper half of an entry is the tag, never 0 in use; the lower the location.
std::uint64_t tag_of(std::uint64_t hash) { return (hash >> 32 | 1) << 32; }

}  // namespace

LocationCache::LocationCache(std::uint64_t max_bytes)
    : max_set_bits_(std::max<unsigned>(
          kFirstSetBits, static_cast<unsigned>(std::bit_width(max_bytes / sizeof(Set) | 1)) - 1)) {
  const unsigned first_bits = kFirstSetBits + (max_set_bits_ - kFirstSetBits) % kGrowthBits;
  generations_.push_back(std::make_unique<Generation>(first_bits));
  current_ = generations_.back().get();
}

std::uint64_t LocationCache::hash(const RecordName& name) {
  return mix64(mix64(name.key) ^ (std::uint64_t{name.table} << 16 | name.partition));
}

std::optional<std::uint32_t> LocationCache::find_in(Generation& generation, std::uint64_t hash) {
  const std::uint64_t tag = tag_of(hash);
  for (const auto& entry : set_of(generation, hash).entries) {
    const std::uint64_t word = entry.load(std::memory_order_relaxed);
    if ((word & 0xffffffff00000000ULL) == tag) return static_cast<std::uint32_t>(word);
  }
  return std::nullopt;
}

void LocationCache::prefill(TableId table, const KeyShape& shape, std::uint64_t records) {
  prefilled_[table] = std::make_unique<Prefilled>(shape, records);
}

std::optional<std::uint32_t> LocationCache::find(const RecordName& name) {
  std::uint64_t index = 0;
  const Prefilled* known = prefilled(name, index);
  if (known == nullptr) return find_in_use(name);
  if (known->amended.load(std::memory_order_relaxed)) {
    const auto found = find_in_use(name);
    if (found == kNowhere) return std::nullopt;
    if (found) return found;
  }
  return static_cast<std::uint32_t>(index);
}

std::optional<std::uint32_t> LocationCache::find_in_use(const RecordName& name) {
  const std::uint64_t h = hash(name);
  Generation* current = current_.load(std::memory_order_acquire);
  if (const auto found = find_in(*current, h)) return found;
  if (current->previous == nullptr) return std::nullopt;
  const auto found = find_in(*current->previous, h);
  if (found) put(*current, h, *found);
  return found;
}

void LocationCache::put(Generation& generation, std::uint64_t hash, std::uint32_t entry) {
  const std::uint64_t tag = tag_of(hash);
  const std::uint64_t word = tag | entry;
  Set& set = set_of(generation, hash);
  for (auto& slot : set.entries) {
    std::uint64_t found = slot.load(std::memory_order_relaxed);
    if ((found & 0xffffffff00000000ULL) == tag) {
      slot.store(word, std::memory_order_relaxed);
      return;
    }
    if (found == 0 && slot.compare_exchange_strong(found, word, std::memory_order_relaxed)) {
      generation.used.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  // A full set: replaces one that the new tag chooses.
  set.entries[hash >> 61].store(word, std::memory_order_relaxed);
}

void LocationCache::insert(const RecordName& name, std::uint32_t entry) {
  std::uint64_t index = 0;
  if (Prefilled* known = prefilled(name, index)) {
    // A record that is where it was initially takes no place.
    if (entry == index && !known->amended.load(std::memory_order_relaxed)) return;
    known->amended.store(true, std::memory_order_relaxed);
  }
  Generation* current = current_.load(std::memory_order_acquire);
  put(*current, hash(name), entry);
  const std::uint64_t slots = std::uint64_t{kWays} << current->set_bits;
  if (current->used.load(std::memory_order_relaxed) * 2 >= slots &&
      current->set_bits < max_set_bits_) {
    grow(current);
  }
}

void LocationCache::grow(Generation* full) {
  const std::lock_guard guard(growing_);
  if (current_.load(std::memory_order_relaxed) != full) return;  // another thread was faster
  auto next = std::make_unique<Generation>(full->set_bits + kGrowthBits);
  next->previous = full;
  // Smaller tables stay allocated, since a reader may still be in one.
  current_.store(next.get(), std::memory_order_release);
  generations_.push_back(std::move(next));
}

void LocationCache::erase(const RecordName& name) {
  std::uint64_t index = 0;
  if (prefilled(name, index) != nullptr) return insert(name, kNowhere);
  const std::uint64_t h = hash(name);
  const std::uint64_t tag = tag_of(h);
  Generation* current = current_.load(std::memory_order_acquire);
  for (Generation* generation : {current, current->previous}) {
    if (generation == nullptr) continue;
    for (auto& slot : set_of(*generation, h).entries) {
      std::uint64_t found = slot.load(std::memory_order_relaxed);
      if ((found & 0xffffffff00000000ULL) == tag) {
        slot.compare_exchange_strong(found, 0, std::memory_order_relaxed);
      }
    }
  }
}

std::uint64_t LocationCache::bytes() const {
  const std::lock_guard guard(growing_);
  std::uint64_t total = 0;
  for (const auto& generation : generations_) total += generation->sets.size() * sizeof(Set);
  return total;
}

}  // namespace verbena::txn
