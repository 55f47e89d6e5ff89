// How long to wait before an aborted transaction is tried again.
#pragma once

#include <algorithm>

#include "rdma/seam/time.h"
#include "txn/random.h"

namespace verbena::txn {

/// Randomized exponential back-off: uniform in (0, limit], where the limit doubles with each abort
/// of the same transaction. It begins at a quarter of what transactions take lately, if that is
/// known: what this one conflicts with will be there about so long.
class Backoff {
 public:
  static constexpr rdma::Nanoseconds kFirst = 16 * rdma::kMicrosecond;
  static constexpr rdma::Nanoseconds kMost = 512 * rdma::kMicrosecond;

  explicit Backoff(rdma::Nanoseconds usual_time = 0)
      : limit_(std::clamp(usual_time / 4, kFirst, kMost)) {}

  rdma::Nanoseconds next(Random& random) {
    const rdma::Nanoseconds wait = random.between(1, limit_);
    limit_ = std::min(limit_ * 2, kMost);
    return wait;
  }

 private:
  rdma::Nanoseconds limit_;
};

}  // namespace verbena::txn
