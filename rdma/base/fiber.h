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

/// Runs one body at a time on a stack of its own. `enter` runs the body until it returns or calls
/// `leave`. The body may call `leave` from another stack that it has switched to: a core's fiber
/// runs an event loop, which runs fibers.
///
/// Announces switches to AddressSanitizer and ThreadSanitizer, keeps the exceptions that each side
/// handles apart, and watches the stack's depth. Used by one thread at a time, which may change
/// whenever the body has left, also inside a call of `enter` that a fiber around it has made.
class alignas(kCacheLineBytes) Fiber {
 public:
  /// Thrown by leave() on a fiber that is being unwound. Deliberately not a std::exception.
  struct Cancelled {};

  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Gives a body to a fiber that has none or whose body has returned. `stack` must outlive the
  /// fiber.
  void start(std::function<void()> body, Stack stack);

  /// Called from outside: runs the fiber until it leaves or returns. Returns true when it has
  /// returned.
  bool enter();

  /// Called from inside: switches back to the code that entered.
  void leave();

  /// Called from outside: unwinds the fiber if it has begun; afterwards it has returned.
  void cancel();

  /// Returns the exception that left the body, once; null when none did.
  std::exception_ptr take_exception() { return std::exchange(exception_, nullptr); }
  Stack stack() const { return stack_; }

  /// Returns the lowest address near which the switch back will read.
  const std::byte* frame() const { return frame_; }

 private:
  struct GivenStack;
  struct ExceptionState {  // what __cxa_get_globals points at
    void* caught = nullptr;
    unsigned uncaught = 0;
  };

  void run_body();
  /// Not inlined: the runtime's function for it counts as constant, so two calls in one function
  /// become one, and between them the fiber may have gone on to another thread.
  [[gnu::noinline]] void swap_exception_state();

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
  // For sanitizers: the stack of each side, as the last switch told it, and its shadow state.
  Stack inside_stack_;
  Stack outside_stack_;
  void* own_tsan_fiber_ = nullptr;
  void* inside_tsan_fiber_ = nullptr;
  void* outside_tsan_fiber_ = nullptr;
};

}  // namespace verbena
