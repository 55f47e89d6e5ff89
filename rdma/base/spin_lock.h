// A lock for a few dozen instructions.
#pragma once

#include <sched.h>

#include <atomic>

namespace verbena {

/// Mutual exclusion of threads that have a core each and leave again at once; who waits long gives
/// its core away. Costs one atomic exchange when nobody else is there.
class SpinLock {
 public:
  void lock() {
    lock([] { sched_yield(); });
  }
  /// `give_way` is called now and then by who waits long.
  template <typename GiveWay>
  void lock(GiveWay&& give_way) {
    for (unsigned waits = 1; taken_.exchange(true, std::memory_order_acquire); ++waits) {
      if (waits % kPatience == 0) give_way();
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  static constexpr unsigned kPatience = 64;
  std::atomic<bool> taken_{false};
};

}  // namespace verbena
