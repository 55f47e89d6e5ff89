// Keeping what adds something.
#include "txn/check/replay/told_commits.h"

#include <algorithm>
#include <iterator>

namespace verbena::txn {

// Looks from the end on, since what comes is mostly the last.
void ToldCommits::add(const Told& told) {
  auto place = told_.end();
  while (place != told_.begin() && std::prev(place)->at > told.at) --place;
  if (place != told_.begin() && std::prev(place)->count >= told.count) return;
  auto end = place;
  while (end != told_.end() && end->count <= told.count) ++end;
  told_.insert(told_.erase(place, end), told);
}

const ToldCommits::Told* ToldCommits::latest_before(std::uint64_t at) const {
  const auto later = std::ranges::lower_bound(told_, at, {}, &Told::at);
  return later == told_.begin() ? nullptr : &*std::prev(later);
}

void ToldCommits::forget_before(std::uint64_t at) {
  while (told_.size() > 1 && told_[1].at < at) told_.pop_front();
}

}  // namespace verbena::txn
