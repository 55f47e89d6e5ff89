// The NIC's caches of queue pairs' state, of page-table entries and of requests' state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rdma/base/random.h"
#include "rdma/base/time.h"

namespace verbena::simnic {

/// Cache of queue pairs' state on the NIC: four ways, random replacement. Queue pairs remember
/// their own slots, so that a look-up needs nothing from here. State that was loaded serves all
/// requests of its queue pair that have come until their turn.
class QueuePairCache {
 public:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  explicit QueuePairCache(std::int64_t entries)
      : sets_(static_cast<std::uint32_t>(std::max<std::int64_t>(1, entries / kWays))),
        slots_(static_cast<std::size_t>(sets_) * kWays, kNowhere) {}

  struct Place {
    std::uint32_t slot;
    std::uint32_t driven_out;  ///< queue pair that had the slot before, or kNowhere
  };
  /// Brings in `queue_pair`, which must not be there.
  Place bring_in(std::uint32_t queue_pair, SplitMix& random) {
    const std::uint64_t hash = (queue_pair + 1) * 0x9e3779b97f4a7c15;
    const auto set = static_cast<std::uint32_t>((hash >> 32) * sets_ >> 32) * kWays;
    std::uint32_t slot = set + static_cast<std::uint32_t>(random.next() & (kWays - 1));
    for (std::uint32_t way = 0; way < kWays && slots_[slot] != kNowhere; ++way) {
      if (slots_[set + way] == kNowhere) slot = set + way;
    }
    crowded_ = crowded_ || slots_[slot] != kNowhere;
    return {slot, std::exchange(slots_[slot], queue_pair)};
  }
  /// Tells that the turn of a request of `queue_pair` comes at `turn`.
  void serve(std::uint32_t queue_pair, Picoseconds turn) {
    if (!crowded_) return;
    if (queue_pair >= turns_.size()) turns_.resize(queue_pair + std::size_t{1}, Picoseconds(0));
    turns_[queue_pair] = std::max(turns_[queue_pair], turn);
  }
  /// Forgets the requests of `queue_pair`, whose number may be given again.
  void forget(std::uint32_t queue_pair) {
    if (queue_pair < turns_.size()) turns_[queue_pair] = Picoseconds(0);
  }
  /// True if a request of `queue_pair`, which is not there, waits for its turn at `now`.
  bool waits(std::uint32_t queue_pair, Picoseconds now) const {
    return queue_pair < turns_.size() && turns_[queue_pair] > now;
  }

 private:
  static constexpr std::uint32_t kWays = 4;
  std::uint32_t sets_;
  bool crowded_ = false;  ///< some were driven out
  std::vector<std::uint32_t> slots_;
  std::vector<Picoseconds> turns_;  ///< of the last requests, by queue pair, once it is crowded
};

/// Cache of page-table entries on the NIC: 4-way set-associative, random replacement.
class PageTableCache {
 public:
  explicit PageTableCache(std::int64_t entries)
      : sets_(static_cast<std::uint32_t>(std::max<std::int64_t>(1, entries / kWays))),
        tags_(static_cast<std::size_t>(sets_) * kWays, 0) {}

  /// Returns true when page `page` of memory region `region` is there; otherwise brings it in.
  bool access(std::uint32_t region, std::uint64_t page, SplitMix& random) {
    const std::uint64_t tag = (std::uint64_t{region} + 1) << 40 ^ page;
    const std::uint64_t hash = tag * 0x9e3779b97f4a7c15;
    std::uint64_t* set = &tags_[(hash >> 32) * sets_ >> 32 << 2];
    // One branch for all ways, since no processor can predict which one holds a page.
    bool found = false;
    for (std::uint32_t way = 0; way < kWays; ++way) found |= set[way] == tag;
    if (found) return true;
    set[random.next() & (kWays - 1)] = tag;
    return false;
  }

 private:
  static constexpr std::uint32_t kWays = 4;
  std::uint32_t sets_;
  std::vector<std::uint64_t> tags_;
};

/// Cache of the state of requests on the NIC, by age: one is driven out when about `entries` others
/// have come in after it. Sets do not fill evenly, so it may be half as many fewer or more.
class RequestCache {
 public:
  explicit RequestCache(std::int64_t entries) : entries_(static_cast<std::uint32_t>(entries)) {}

  /// Brings in a request; returns the number by which `has` knows it.
  std::uint32_t bring_in() { return ++last_; }
  /// True if the request that got `number` is still there.
  bool has(std::uint32_t number) const {
    const std::uint64_t even = entries_ - entries_ / 2;
    const std::uint64_t drawn = std::uint64_t{number * 0x9e3779b9} * entries_ >> 32;
    return last_ - number < even + drawn;
  }

 private:
  std::uint32_t entries_;
  std::uint32_t last_ = 0;
};

}  // namespace verbena::simnic
