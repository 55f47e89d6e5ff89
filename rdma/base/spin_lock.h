// A lock for a few dozen instructions.
#pragma once

#include <sched.h>

#include <atomic>

namespace verbena {

/// Mutual exclusion of threads that have a core each and hold it briefly; a thread that waits long
/// yields its core. Costs one atomic exchange when uncontended.
class SpinLock {
 public:
  void lock() {
    lock([] { sched_yield(); });
  }
  /// Takes the lock; calls `give_way` once every kPatience failed attempts.
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
