// How long to wait before an aborted transaction is tried again.
#pragma once

#include <algorithm>

#include "rdma/base/random.h"
#include "rdma/base/time.h"

namespace verbena {

/// Randomized exponential back-off: uniform in (0, limit], where the limit doubles with each abort
/// of the same transaction. It begins at a quarter of what transactions take lately, if that is
/// known: what this one conflicts with will be there about so long. It ends at kMost, or where an
/// attempt takes longer than that, at twice its time, so that in the end, of two that are in each
/// other's way all the while, one gets through while the other waits.
class Backoff {
 public:
  static constexpr Nanoseconds kFirst = 16 * kMicrosecond;
  static constexpr Nanoseconds kMost = 512 * kMicrosecond;

  explicit Backoff(Nanoseconds usual_time = 0)
      : limit_(std::clamp(usual_time / 4, kFirst, kMost)) {}

  /// After an attempt that took `attempt`.
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
