// Model of a driver's spin lock that cores share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rdma/base/time.h"
#include "simnic/engine/server.h"

namespace verbena::simnic {

/// Costs of taking a lock.
struct LockCosts {
  Picoseconds transfer;       ///< moving its data from the core that had it last
  Picoseconds per_waiting;    ///< extra for each other core that spins on it
  std::int64_t most_waiting;  ///< most of these: threads of one core spin on one copy of the line
};

/// The lock of a doorbell register or queue pair. It costs nothing while only one core uses it.
/// From then on a core that takes it waits until it is free, and gets its cache lines from the core
/// that had them: at once when no other core wants them, and later the more cores spin on them.
class DriverLock {
 public:
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// True if `core` must call `take`, since another core has used the lock.
  bool contended(std::uint32_t core) {
    shared_ = shared_ || (last_ != core && last_ != kNobody);
    return shared_;
  }
  /// Records its last user; for cores that need not `take` it.
  void used_by(std::uint32_t core) { last_ = core; }

  /// Lets `core` take the lock at `now` and hold it for `hold`, besides the time of taking it.
  /// Returns when it is released. To be called in the order of `now`, or nearly.
  Picoseconds take(std::uint32_t core, Picoseconds now, const LockCosts& costs, Picoseconds hold) {
    Turn* own = nullptr;
    std::int64_t waiting = 0;
    for (Turn& turn : turns_) {
      if (turn.core == core) {
        own = &turn;
      } else if (turn.end > now) {
        ++waiting;
      }
    }
    Picoseconds cost = hold;
    if (waiting > 0) {
      // Any spinning core may come next, also the one that has just released the lock.
      waiting = std::min(waiting, costs.most_waiting);
      cost += costs.transfer * waiting / (waiting + 1) + waiting * costs.per_waiting;
    } else if (last_ != core) {
      cost += costs.transfer;
    }
    last_ = core;
    if (own == nullptr) own = &turns_.emplace_back(Turn{core, 0});
    server_.enter(now, cost);
    own->end = server_.free_at();
    return own->end;
  }

  /// Delays the release by the core that took it last to `time`, if that is later.
  void keep_until(Picoseconds time) {
    if (time > server_.free_at()) server_.occupy(server_.free_at(), time - server_.free_at());
    for (Turn& turn : turns_) {
      if (turn.core == last_) turn.end = server_.free_at();
    }
  }

  /// True if any core ever had to `take` it.
  bool taken() const { return !turns_.empty(); }
  /// Server that is busy while the lock is held.
  const Server& server() const { return server_; }

 private:
  struct Turn {
    std::uint32_t core;
    Picoseconds end;  ///< end of the core's last turn
  };
  std::uint32_t last_ = kNobody;
  bool shared_ = false;
  Server server_;
  std::vector<Turn> turns_;  ///< one for each core that ever took it
};

}  // namespace verbena::simnic
