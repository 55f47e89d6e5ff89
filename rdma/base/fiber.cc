// One fiber: a stack, a saved context, and the switch into and out of it.
#include "rdma/base/fiber.h"

#include <cxxabi.h>

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace verbena {
namespace {

/// A fiber that leaves with less than this left on its stack is about to overflow it.
constexpr std::size_t kStackReserveBytes = 1024;

/// The saved context lies about so far below the frame of leave().
constexpr std::size_t kSavedContextBytes = 128;

/// Most bytes that Boost.Context puts at the top of a new stack.
constexpr std::size_t kFirstContextBytes = 512;

#if defined(__SANITIZE_ADDRESS__)
void start_switch(void** shadow, Stack to) {
  __sanitizer_start_switch_fiber(shadow, to.bottom, to.bytes);
}
/// Stores where the switch came from, which is where to go back to.
void finish_switch(void* shadow, Stack& from) {
  const void* bottom = nullptr;
  __sanitizer_finish_switch_fiber(shadow, &bottom, &from.bytes);
  from.bottom = static_cast<std::byte*>(const_cast<void*>(bottom));
}
#else
void start_switch(void**, Stack) {}
void finish_switch(void*, Stack&) {}
#endif

/// True if `frame` is at the end of `stack`; false on another stack.
bool used_up(const std::byte* frame, Stack stack) {
  const std::byte* lowest = stack.bottom - kStackReserveBytes;
  return frame >= lowest && frame < stack.bottom + kStackReserveBytes;
}

}  // namespace

/// Hands Boost.Context a stack that its owner takes back himself.
struct Fiber::GivenStack {
  Stack stack;
  boost::context::stack_context allocate() const {
    boost::context::stack_context context;
    context.size = stack.bytes;
    context.sp = stack.bottom + stack.bytes;
    return context;
  }
  void deallocate(boost::context::stack_context&) noexcept {}
};

void Fiber::start(std::function<void()> body, Stack stack) {
  assert(done_);
  body_ = std::move(body);
  stack_ = stack;
  frame_ = stack.bottom + stack.bytes - kFirstContextBytes;
  begun_ = false;
  done_ = false;
  cancelled_ = false;
  other_exceptions_ = {};
  inside_stack_ = stack;
}

void Fiber::swap_exception_state() {
  // The C++ runtime keeps the exceptions being handled per thread; a fiber that leaves inside a
  // catch block must not mix its own with those of the next one.
  ExceptionState mine;
  void* globals = abi::__cxa_get_globals();
  std::memcpy(&mine, globals, sizeof mine);
  std::memcpy(globals, &other_exceptions_, sizeof mine);
  other_exceptions_ = mine;
}

void Fiber::run_body() {
  finish_switch(nullptr, outside_stack_);
  try {
    body_();
  } catch (const Cancelled&) {
    // Unwound as cancel() asked.
  } catch (...) {
    exception_ = std::current_exception();
  }
  body_ = nullptr;
  done_ = true;
  start_switch(nullptr, outside_stack_);
}

bool Fiber::enter() {
  assert(!done_);
  swap_exception_state();
#if defined(__SANITIZE_THREAD__)
  outside_tsan_fiber_ = __tsan_get_current_fiber();
  if (!begun_) own_tsan_fiber_ = inside_tsan_fiber_ = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(inside_tsan_fiber_, 0);
#endif
  void* shadow = nullptr;
  start_switch(&shadow, inside_stack_);
  if (begun_) {
    inside_ = std::move(inside_).resume();
  } else {
    begun_ = true;
    // Boost enters a new context once to set it up, before anything of ours runs on it.
    boost::context::fiber fresh(std::allocator_arg, GivenStack{stack_},
                                [this](boost::context::fiber&& outside) {
                                  outside_ = std::move(outside);
                                  run_body();
                                  return std::move(outside_);
                                });
    inside_ = std::move(fresh).resume();
  }
  finish_switch(shadow, inside_stack_);
  swap_exception_state();
#if defined(__SANITIZE_THREAD__)
  // Here rather than at the end of the body, so that the functions that return there are the
  // fiber's to the last.
  if (done_) {
    __tsan_switch_to_fiber(outside_tsan_fiber_, 0);
    __tsan_destroy_fiber(own_tsan_fiber_);
  }
#endif
#if defined(__SANITIZE_ADDRESS__)
  if (done_) __asan_unpoison_memory_region(stack_.bottom, stack_.bytes);
#endif
  return done_;
}

void Fiber::leave() {
  const auto* frame = static_cast<const std::byte*>(__builtin_frame_address(0));
  frame_ = frame - kSavedContextBytes;
#if !defined(__SANITIZE_ADDRESS__)
  if (used_up(frame, stack_)) {
    std::fprintf(stderr, "verbena: a fiber has used up its %zu bytes of stack\n", stack_.bytes);
    std::abort();
  }
#endif
#if defined(__SANITIZE_THREAD__)
  inside_tsan_fiber_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(outside_tsan_fiber_, 0);
#endif
  void* shadow = nullptr;
  start_switch(&shadow, outside_stack_);
  outside_ = std::move(outside_).resume();
  finish_switch(shadow, outside_stack_);
  if (cancelled_ && std::uncaught_exceptions() == 0) throw Cancelled{};
}

void Fiber::cancel() {
  if (done_) return;
  if (!begun_) {
    body_ = nullptr;
    done_ = true;
    return;
  }
  cancelled_ = true;
  while (!enter()) {
    // A destructor that suspends is resumed until the body is left.
  }
  exception_ = nullptr;
}

}  // namespace verbena
