// The NIC's caches of queue pairs' state and of page-table entries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rdma/base/random.h"

namespace verbena::simnic {

/// Cache of queue pairs' state on the NIC: four ways, random replacement. Queue pairs remember
/// their own slots, so that a look-up needs nothing from here.
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
    return {slot, std::exchange(slots_[slot], queue_pair)};
  }

 private:
  static constexpr std::uint32_t kWays = 4;
  std::uint32_t sets_;
  std::vector<std::uint32_t> slots_;
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

}  // namespace verbena::simnic
