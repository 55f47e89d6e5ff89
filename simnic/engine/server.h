// A station at which work waits its turn.
#pragma once

#include <algorithm>

#include "rdma/base/time.h"

namespace verbena::simnic {

/// A work-conserving server with a queue, kept as one number: the time at which all work handed in
/// so far will be finished.
///
/// `enter` is called at the engine's time, in event order, also for work that reaches the server
/// somewhat later; the delay is that of the backlog now. So the server loses no capacity to work
/// that was announced early, and its throughput is exact.
class Server {
 public:
  /// Hands in `service` of work at `now`; returns how long it waits before it is served.
  Picoseconds enter(Picoseconds now, Picoseconds service) {
    const Picoseconds wait = occupy(now, service);
    add_wait(wait);
    return wait;
  }
  /// Hands in work likewise, and counts no wait.
  Picoseconds occupy(Picoseconds now, Picoseconds service) {
    const Picoseconds begin = std::max(free_, now);
    free_ = begin + service;
    work_ += service;
    return begin - now;
  }
  /// Adds `wait` to the waits counted.
  void add_wait(Picoseconds wait) { waited_ += wait; }
  Picoseconds free_at() const { return free_; }

  /// Time that it has worked until `now`.
  Picoseconds busy(Picoseconds now) const { return work_ - std::max(free_ - now, Picoseconds(0)); }
  /// Sum of the waits of all work that entered.
  Picoseconds waited() const { return waited_; }

 private:
  Picoseconds free_ = 0;
  Picoseconds work_ = 0;  ///< handed in
  Picoseconds waited_ = 0;
};

}  // namespace verbena::simnic
