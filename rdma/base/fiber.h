// One fiber: a stack, a saved context, and the switch into and out of it.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

#include "rdma/base/cache_line.h"
#include "rdma/base/stack.h"

namespace verbena {

/// Execution on a stack of its own, of a body at a time. `enter` runs it until it calls `leave`,
/// from that stack or from one that the code has switched to since (a core's fiber runs an event
/// loop, which runs fibers), or until the body returns.
///
/// Announces switches to AddressSanitizer and ThreadSanitizer, keeps the exceptions that each side
/// is handling apart, and watches the stack's depth. One thread at a time; the thread may change
/// between an enter and the next.
class alignas(kCacheLineBytes) Fiber {
 public:
  /// Thrown by leave() on a fiber that is being unwound. Deliberately not a std::exception.
  struct Cancelled {};

  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Gives a fiber that has no body, or whose body has returned, one. `stack` must outlive it.
  void start(std::function<void()> body, Stack stack);

  /// From outside: runs the fiber until it leaves or returns. True when it has returned.
  bool enter();

  /// From inside: back to who entered.
  void leave();

  /// From outside: unwinds the fiber if it has begun; afterwards it has returned.
  void cancel();

  /// Returns the exception that left the body, once; null when none did.
  std::exception_ptr take_exception() { return std::exchange(exception_, nullptr); }
  Stack stack() const { return stack_; }

  /// The lowest address near which the switch back will read.
  const std::byte* frame() const { return frame_; }

 private:
  struct GivenStack;
  struct ExceptionState {  // what __cxa_get_globals points at
    void* caught = nullptr;
    unsigned uncaught = 0;
  };

  void run_body();
  void swap_exception_state();

  // Members that every switch touches come first, to share a cache line.
  bool begun_ = false;
  bool done_ = true;
  bool cancelled_ = false;
  boost::context::fiber inside_;   // valid while others run
  boost::context::fiber outside_;  // valid while the fiber runs
  ExceptionState other_exceptions_;
  const std::byte* frame_ = nullptr;
  Stack stack_;
  std::function<void()> body_;
  std::exception_ptr exception_;
  // Sanitizers: the stacks of both sides, which are where the last switch came from, and their
  // shadow state.
  Stack inside_stack_;
  Stack outside_stack_;
  void* own_tsan_fiber_ = nullptr;
  void* inside_tsan_fiber_ = nullptr;
  void* outside_tsan_fiber_ = nullptr;
};

}  // namespace verbena
