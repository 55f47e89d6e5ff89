// A spin lock of the driver, as the cores that share it meet it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simnic/event_queue.h"
#include "simnic/stations.h"

namespace verbena::simnic {

/// Costs of coming by a lock.
struct LockCosts {
  Picoseconds transfer;       ///< of what it guards, from the core that had it last
  Picoseconds per_waiting;    ///< for each other core that spins on it
  std::int64_t most_waiting;  ///< threads of one core spin on one copy of the line
};

/// The lock of something that several cores use: a doorbell register or a queue pair. While only
/// one core uses it, taking it costs nothing. From then on a core that takes it waits until it is
/// free, and its lines must come from the core that had them: at once when nobody else wants them,
/// and later with each core that spins on them.
class DriverLock {
 public:
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// True if `core` must call `take`: another core has used it, now or before.
  bool contended(std::uint32_t core) {
    shared_ = shared_ || (last_ != core && last_ != kNobody);
    return shared_;
  }
  /// Remembers who used it; for cores that need not `take` it.
  void used_by(std::uint32_t core) { last_ = core; }

  /// `core` takes the lock at `now`, holds it for `hold` more than it takes to come by it, and
  /// gives it back at the time returned. To be called in the order of `now`, or nearly.
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
      // Any core that spins may come next, also the one that has just let go.
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

  /// The core that took it last gives it back as late as `time`.
  void keep_until(Picoseconds time) {
    if (time > server_.free_at()) server_.occupy(server_.free_at(), time - server_.free_at());
    for (Turn& turn : turns_) {
      if (turn.core == last_) turn.end = server_.free_at();
    }
  }

  /// True if any core ever had to `take` it.
  bool taken() const { return !turns_.empty(); }
  /// While it is held it is busy.
  const Server& server() const { return server_; }

 private:
  struct Turn {
    std::uint32_t core;
    Picoseconds end;  ///< when the core's last turn was or will be over
  };
  std::uint32_t last_ = kNobody;
  bool shared_ = false;
  Server server_;
  std::vector<Turn> turns_;  ///< one for each core that ever waited
};

}  // namespace verbena::simnic
