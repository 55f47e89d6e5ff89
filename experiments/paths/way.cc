// Going on, branching and joining.
#include "experiments/paths/way.h"

#include <cassert>

namespace verbena::experiments {

void Way::go_on(Part part, Picoseconds until) {
  if (until <= this->until()) return;
  const bool request = std::exchange(request_begins_, false);
  if (!request && !segments_.empty() && segments_.back().part == part) {
    segments_.back().until = until;
  } else {
    segments_.push_back({part, request, until});
  }
}

void Way::take(const Way& branch) {
  cut(branch.begin());
  segments_.insert(segments_.end(), branch.segments_.begin(), branch.segments_.end());
}

// Nothing is known of after `at`, which the way has reached.
void Way::cut(Picoseconds at) {
  assert(begin_ <= at && at <= until());
  while (!segments_.empty()) {
    const Picoseconds from = segments_.size() == 1 ? begin_ : segments_.end()[-2].until;
    if (from < at) break;
    segments_.pop_back();
  }
  if (!segments_.empty() && segments_.back().until > at) segments_.back().until = at;
}

}  // namespace verbena::experiments
