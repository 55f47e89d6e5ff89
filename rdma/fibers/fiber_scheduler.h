// The fibers of one worker: ready ones, sleeping ones, and the switches between them and the event
// loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/fiber.h"
#include "rdma/base/stack_pool.h"
#include "rdma/base/time.h"

namespace verbena::rdma {

/// A fiber of one worker. Numbers are reused after a fiber has returned.
using FiberId = std::uint32_t;
inline constexpr FiberId kNoFiber = UINT32_MAX;

/// Runs fibers in the order in which they became ready. One thread at a time; the thread may change
/// between calls of run_ready.
class FiberScheduler {
 public:
  /// Stacks have `stack_bytes` each and come `stacks_at_once` at a time.
  FiberScheduler(std::size_t stack_bytes, std::size_t stacks_at_once);
  /// Unwinds fibers that are still suspended.
  ~FiberScheduler();
  FiberScheduler(const FiberScheduler&) = delete;
  FiberScheduler& operator=(const FiberScheduler&) = delete;

  /// Adds a new fiber at the end of the ready queue.
  void spawn(std::function<void()> body);

  /// Number of fibers that have not returned.
  std::uint32_t alive() const { return alive_; }
  bool has_ready() const { return ready_head_ != kNoFiber; }
  FiberId current() const { return current_; }
  std::uint64_t switches() const { return switches_; }

  /// Runs each fiber that is ready now once, in order; goes on after the first only while `go_on()`
  /// is true. Fibers that become ready meanwhile run next time. Calls `before` with the number of
  /// each fiber ahead of the switch to it. Rethrows an exception that left a fiber. Returns how
  /// many ran.
  template <typename Before, typename GoOn>
  std::uint32_t run_ready(Before&& before, GoOn&& go_on) {
    if (ready_head_ == kNoFiber) return 0;
    const FiberId last = ready_tail_;
    std::uint32_t ran = 0;
    for (bool more = true; more && (ran == 0 || go_on());) {
      const FiberId next = take_ready();
      more = next != last;
      before(next);
      switch_to(next);
      ++ran;
    }
    return ran;
  }

  /// Called on a fiber: switches back to the loop until make_ready.
  void suspend();

  /// The fiber must be suspended and not be in the ready queue.
  void make_ready(FiberId id);

  /// Called on a fiber: has [first, first + bytes) prefetched whenever the fiber becomes ready,
  /// since it reads that on being resumed. At most two ranges; more are ignored.
  void expect(const void* first, std::size_t bytes);

  /// Called on a fiber: suspends it until wake_sleepers is called with a time of at least
  /// `deadline`.
  void sleep_until(Nanoseconds deadline);

  /// Makes all fibers ready whose deadline has come, earliest first; calls `before` with the number
  /// of each.
  template <typename Before>
  void wake_sleepers(Nanoseconds now, Before&& before) {
    while (next_deadline() <= now) {
      const FiberId fiber = take_sleeper();
      before(fiber);
      make_ready(fiber);
    }
  }
  Nanoseconds next_deadline() const {
    return sleepers_.empty() ? kNever : sleepers_.front().deadline;
  }

 private:
  static constexpr std::size_t kExpected = 2;
  struct Sleeper {
    Nanoseconds deadline;
    std::uint64_t sequence;
    FiberId fiber;
    bool operator<(const Sleeper& other) const {  // a heap keeps its largest element in front
      return deadline != other.deadline ? deadline > other.deadline : sequence > other.sequence;
    }
  };

  /// The ready queue's data about a fiber, apart from the Fiber so that a worker's slots lie
  /// together.
  struct alignas(kCacheLineBytes) Slot {
    std::unique_ptr<Fiber> fiber;
    const std::byte* frame = nullptr;  // near its saved context
    FiberId next_ready = kNoFiber;
    bool alive = false;
    bool queued = false;
    std::array<std::span<const std::byte>, kExpected> expected;
  };

  FiberId take_ready();
  FiberId take_sleeper();
  void switch_to(FiberId id);

  StackPool stacks_;
  std::vector<Slot> fibers_;
  std::vector<FiberId> free_;
  std::vector<Sleeper> sleepers_;
  std::uint64_t sleep_sequence_ = 0;
  std::uint64_t switches_ = 0;
  std::uint32_t alive_ = 0;
  FiberId current_ = kNoFiber;
  FiberId ready_head_ = kNoFiber;
  FiberId ready_tail_ = kNoFiber;
};

}  // namespace verbena::rdma
