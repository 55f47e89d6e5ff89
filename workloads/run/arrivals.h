// Arrivals of transactions at a rate that does not depend on their latencies.
#pragma once

#include <cstdint>

#include "rdma/base/random.h"
#include "rdma/base/time.h"

namespace verbena::workloads {

/// Load of an open loop, over the whole cluster.
struct OfferedLoad {
  double per_second = 0;  ///< transactions; 0: a closed loop, where each begins after the last
  /// Independent arrivals, like those of many users; false: evenly spaced.
  bool poisson = true;
};

/// Transactions due at one worker. Any free stream takes the next one and waits until it is due; an
/// overdue one has waited for a free stream. Belongs to the worker's thread.
class Arrivals {
 public:
  /// The first is due a random part of an interval after `start`, so that workers are not
  /// synchronized. `per_second` is the rate of this worker, above 0.
  Arrivals(Nanoseconds start, double per_second, bool poisson, Random random);

  /// Time when the next one is due.
  Nanoseconds next() const;
  /// Takes the next one, and returns the time when it is due.
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
