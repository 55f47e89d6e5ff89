// A core's own stack, and switching to and from it, known to the sanitizers.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace verbena::simnic {

/// Memory for the stacks of many cores in one mapping, touched only as far as they are used. With
/// few cores each stack has a guard page.
class StackArena {
 public:
  static constexpr std::size_t kGuardBytes = 4096;
  static constexpr std::size_t kColourBytes = 5 * 64;
  static constexpr std::size_t kColours = 16 * 1024;

  StackArena(std::size_t stacks, std::size_t bytes_each);
  ~StackArena();
  StackArena(const StackArena&) = delete;
  StackArena& operator=(const StackArena&) = delete;

  /// The lowest address of stack `index`, which has `usable(index)` bytes.
  std::byte* stack(std::size_t index) { return base_ + index * bytes_each_ + kGuardBytes; }
  /// Stacks end at different distances from a page's end: otherwise the ends of all would compete
  /// for the same few places of the processor's caches.
  std::size_t usable(std::size_t index) const {
    return bytes_each_ - kGuardBytes - index * kColourBytes % kColours;
  }

 private:
  std::byte* base_;
  std::size_t bytes_;
  std::size_t bytes_each_;
};

/// Execution on a stack of its own. `enter` runs it until it calls `leave` (from that stack or from
/// one that the code switched to since) or its body returns. The body must not let an exception
/// out.
class Fiber {
 public:
  Fiber(std::byte* stack, std::size_t bytes, std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void enter();
  void leave();
  bool finished() const { return finished_; }

 private:
  boost::context::fiber inside_;
  boost::context::fiber outside_;
  std::function<void()> body_;
  bool finished_ = false;
#if defined(__SANITIZE_ADDRESS__)
  const void* inside_stack_;
  std::size_t inside_bytes_;
  const void* outside_stack_ = nullptr;
  std::size_t outside_bytes_ = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* own_tsan_fiber_;
  void* inside_tsan_fiber_;
  void* outside_tsan_fiber_ = nullptr;
#endif
};

}  // namespace verbena::simnic
