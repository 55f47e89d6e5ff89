// One fiber: a stack, a saved context, and the switch into and out of it.
#pragma once

#include <boost/context/fiber.hpp>
#include <exception>
#include <functional>

#include "rdma/base/stack_pool.h"

namespace verbena::rdma {

/// Part of FiberScheduler. Announces switches to AddressSanitizer and ThreadSanitizer, keeps the
/// exceptions that each side is handling apart, and watches the stack's depth.
class alignas(64) Fiber {
 public:
  /// Thrown by leave() on a fiber that is being unwound. Deliberately not a std::exception.
  struct Cancelled {};

  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void start(std::function<void()> body, Stack stack);

  /// From the loop: runs the fiber until it leaves or returns. True when it has returned.
  bool enter();

  /// From the fiber: back to the loop.
  void leave();

  /// From the loop: unwinds the fiber if it has begun; afterwards it has returned.
  void cancel();

  /// What left the body, once; null when nothing did.
  std::exception_ptr take_exception() { return std::exchange(exception_, nullptr); }
  Stack stack() const { return stack_; }

  /// The lowest address near which the switch back will read.
  const std::byte* frame() const { return frame_; }

 private:
  struct PooledStack;
  struct ExceptionState {  // what __cxa_get_globals points at
    void* caught = nullptr;
    unsigned uncaught = 0;
  };

  void run_body();
  void swap_exception_state();

  // What every switch touches comes first, to share a cache line.
  bool begun_ = false;
  bool done_ = true;
  bool cancelled_ = false;
  boost::context::fiber inside_;   // valid while the loop runs
  boost::context::fiber outside_;  // valid while the fiber runs
  ExceptionState other_exceptions_;
  const std::byte* frame_ = nullptr;
  Stack stack_;
  std::function<void()> body_;
  std::exception_ptr exception_;
  // Sanitizers: the loop's stack and both sides' shadow state.
  const void* loop_bottom_ = nullptr;
  std::size_t loop_bytes_ = 0;
  void* loop_shadow_ = nullptr;
  void* fiber_shadow_ = nullptr;
  void* tsan_fiber_ = nullptr;
  void* tsan_loop_ = nullptr;
};

}  // namespace verbena::rdma
