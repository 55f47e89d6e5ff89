// How long to wait before an aborted transaction is tried again.
#pragma once

#include <algorithm>

#include "rdma/seam/time.h"
#include "txn/random.h"

namespace verbena::txn {

/// Randomized exponential back-off: uniform in (0, limit], where the limit begins at about the time
/// of a short transaction among others and doubles with each abort of the same transaction.
class Backoff {
 public:
  static constexpr rdma::Nanoseconds kFirst = 16 * rdma::kMicrosecond;
  static constexpr rdma::Nanoseconds kMost = 256 * rdma::kMicrosecond;

  rdma::Nanoseconds next(Random& random) {
    const rdma::Nanoseconds wait = random.between(1, limit_);
    limit_ = std::min(limit_ * 2, kMost);
    return wait;
  }

 private:
  rdma::Nanoseconds limit_ = kFirst;
};

}  // namespace verbena::txn
