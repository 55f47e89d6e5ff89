// The contents that long use leaves in the NICs' caches.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "simnic/engine/mix_seed.h"
#include "simnic/nic/cluster.h"

namespace verbena::simnic {
namespace {

/// So many times a cache's entries replace what was in it, if there is as much.
constexpr std::int64_t kTimes = 8;

// Calls use(i) for each of [0, all) in a drawn order, or, where these are too many, for `most` of
// them, which may repeat.
template <typename Use>
void use_some(std::uint32_t all, std::int64_t most, SplitMix& random, Use&& use) {
  if (all > most) {
    for (; most > 0; --most) use(random.below(all));
    return;
  }
  std::vector<std::uint32_t> order(all);
  for (std::uint32_t i = 0; i < all; ++i) order[i] = i;
  for (; all > 0; --all) {
    std::swap(order[all - 1], order[random.below(all)]);
    use(order[all - 1]);
  }
}

}  // namespace

void Nic::fill_translations(SplitMix& draw) {
  struct Page {
    std::uint32_t region;
    std::uint64_t page;
  };
  std::vector<Page> pages;
  std::vector<std::uint32_t> keys;
  for (const Region& region : regions_) {
    if (region.key == 0 || region.bytes == 0) continue;
    const std::uint32_t region_number = number_of_region(region.key);
    keys.push_back(region_number);
    const std::uint64_t last = (region.bytes - 1) >> machine.page_shift;
    for (std::uint64_t page = 0; page <= last; ++page) pages.push_back({region_number, page});
  }
  use_some(static_cast<std::uint32_t>(keys.size()), kTimes * machine.nic.mpt_cache_entries, draw,
           [&](std::uint32_t i) { mpt_cache.access(keys[i], 0, draw); });
  use_some(static_cast<std::uint32_t>(pages.size()), kTimes * machine.nic.mtt_cache_entries, draw,
           [&](std::uint32_t i) { mtt_cache.access(pages[i].region, pages[i].page, draw); });
}

void Cluster::fill_caches(std::uint64_t seed) {
  for (Nic* nic : nics_) {
    SplitMix draw(mix_seed(seed, nic->number));
    nic->fill_translations(draw);
    std::vector<QueuePair*> used;
    for (QueuePair* qp : nic->queue_pairs()) {
      if (qp != nullptr && qp->state == IBV_QPS_RTS) used.push_back(qp);
    }
    use_some(static_cast<std::uint32_t>(used.size()), kTimes * nic->machine.nic.qp_cache_entries,
             draw, [&](std::uint32_t i) {
               if (used[i]->cache_slot == QueuePairCache::kNowhere) {
                 Stations::bring_in(*nic, *used[i], draw);
               }
             });
  }
}

}  // namespace verbena::simnic
