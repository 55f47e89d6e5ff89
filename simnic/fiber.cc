// Stacks by mmap, switches by Boost.Context.
#include "simnic/fiber.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace verbena::simnic {
namespace {

/// Beyond so many stacks guard pages would use up the mappings that a process may have.
constexpr std::size_t kMostGuardedStacks = 4096;

/// Boost.Context's stack allocator concept for a stack that others own.
struct BorrowedStack {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) {}
};

}  // namespace

StackArena::StackArena(std::size_t stacks, std::size_t bytes_each)
    : bytes_(stacks * bytes_each), bytes_each_(bytes_each) {
  void* address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (address == MAP_FAILED) {
    throw std::runtime_error("cannot reserve " + std::to_string(bytes_) + " bytes for " +
                             std::to_string(stacks) + " stacks: " + std::strerror(errno));
  }
  base_ = static_cast<std::byte*>(address);
  if (stacks > kMostGuardedStacks) return;
  for (std::size_t i = 0; i < stacks; ++i)
    mprotect(base_ + i * bytes_each_, kGuardBytes, PROT_NONE);
}

StackArena::~StackArena() {
#if defined(__SANITIZE_ADDRESS__)
  // What AddressSanitizer noted of the stacks' frames must not outlive them: the addresses may be
  // mapped anew.
  __asan_unpoison_memory_region(base_, bytes_);
#endif
  munmap(base_, bytes_);
}

Fiber::Fiber(std::byte* stack, std::size_t bytes, std::function<void()> body)
    : body_(std::move(body)) {
#if defined(__SANITIZE_ADDRESS__)
  inside_stack_ = stack;
  inside_bytes_ = bytes;
#endif
#if defined(__SANITIZE_THREAD__)
  own_tsan_fiber_ = inside_tsan_fiber_ = __tsan_create_fiber(0);
#endif
  boost::context::stack_context context;
  context.sp = stack + bytes;
  context.size = bytes;
  inside_ = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(context.sp, context.size, context),
      BorrowedStack(), [this](boost::context::fiber&& outside) {
        outside_ = std::move(outside);
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(nullptr, &outside_stack_, &outside_bytes_);
#endif
        body_();
        finished_ = true;
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(nullptr, outside_stack_, outside_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
        __tsan_switch_to_fiber(outside_tsan_fiber_, 0);
#endif
        return std::move(outside_);
      });
}

#if defined(__SANITIZE_THREAD__)
Fiber::~Fiber() { __tsan_destroy_fiber(own_tsan_fiber_); }
#else
Fiber::~Fiber() = default;
#endif

void Fiber::enter() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, inside_stack_, inside_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  outside_tsan_fiber_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(inside_tsan_fiber_, 0);
#endif
  inside_ = std::move(inside_).resume();
#if defined(__SANITIZE_ADDRESS__)
  // Where we come from is where to go back to: the code may have moved to a stack of its own since.
  __sanitizer_finish_switch_fiber(fake_stack, &inside_stack_, &inside_bytes_);
#endif
}

void Fiber::leave() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, outside_stack_, outside_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  inside_tsan_fiber_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(outside_tsan_fiber_, 0);
#endif
  outside_ = std::move(outside_).resume();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, &outside_stack_, &outside_bytes_);
#endif
}

}  // namespace verbena::simnic
