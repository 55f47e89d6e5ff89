// Intersections of ranges.
#include "txn/check/replay/moment_set.h"

#include <algorithm>
#include <utility>

namespace verbena::txn {

void MomentSet::keep(std::span<const MomentRange> others) {
  std::vector<MomentRange> kept;
  for (const MomentRange& range : ranges_) {
    for (const MomentRange& other : others) {
      const MomentRange both{std::max(range.first, other.first), std::min(range.end, other.end)};
      if (both.first < both.end) kept.push_back(both);
    }
  }
  ranges_ = std::move(kept);
}

}  // namespace verbena::txn
