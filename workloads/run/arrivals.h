// Due times of transactions whose rate does not depend on how long they take.
#pragma once

#include <cstdint>

#include "rdma/base/random.h"
#include "rdma/base/time.h"

namespace verbena::workloads {

/// The load that an open loop offers, over the whole cluster.
struct OfferedLoad {
  double per_second = 0;  ///< transactions; 0: a closed loop, each stream begins when it has ended
  /// Independent of each other, as those of many users; otherwise evenly spaced.
  bool poisson = true;
};

/// The transactions that one worker is given: whichever of its streams is free takes the next one
/// and waits until it is due; one that is overdue then has waited for a free stream. Belongs to the
/// worker's thread.
class Arrivals {
 public:
  /// The first is due a random part of an interval after `start`, so that workers do not march in
  /// step. `per_second` of this worker, above 0.
  Arrivals(Nanoseconds start, double per_second, bool poisson, Random random);

  /// When the next one is due.
  Nanoseconds next() const;
  /// The same, and it is taken.
  Nanoseconds take();

 private:
  double interval();
  double uniform();

  double mean_ns_;
  bool poisson_;
  Random random_;
  Nanoseconds start_;
  double next_ns_;  // after start_; with fractions, so that rounding does not change the rate
};

}  // namespace verbena::workloads
