// Back-off: the wait before an aborted transaction is tried again.
#pragma once

#include <algorithm>

#include "rdma/base/random.h"
#include "rdma/base/time.h"

namespace verbena {

/// Randomized exponential back-off: each wait is uniform in (0, limit], and the limit doubles with
/// each abort of the same transaction. The first limit is a quarter of `usual_time`, the time that
/// transactions take lately, within kFirst and kMost; without it, kFirst. The limit ends at kMost,
/// or at twice the longest attempt where that took more than kMost, so that one of two transactions
/// in conflict gets through while the other waits.
class Backoff {
 public:
  static constexpr Nanoseconds kFirst = 16 * kMicrosecond;
  static constexpr Nanoseconds kMost = 512 * kMicrosecond;

  explicit Backoff(Nanoseconds usual_time = 0)
      : limit_(std::clamp(usual_time / 4, kFirst, kMost)) {}

  /// Returns the wait after an attempt that took `attempt`.
  Nanoseconds next(Random& random, Nanoseconds attempt) {
    if (attempt > kMost) most_ = std::max(most_, attempt * 2);
    const Nanoseconds wait(random.between(1, limit_.count()));
    limit_ = std::min(limit_ * 2, most_);
    return wait;
  }

 private:
  Nanoseconds limit_;
  Nanoseconds most_ = kMost;
};

}  // namespace verbena
