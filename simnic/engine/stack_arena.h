// Memory for the stacks of the simulated cores.
#pragma once

#include <cstddef>

#include "rdma/base/cache_line.h"
#include "rdma/base/stack.h"

namespace verbena::simnic {

/// Memory for the stacks of many cores in one mapping, touched only as far as they are used. With
/// few cores each stack has a guard page.
class StackArena {
 public:
  static constexpr std::size_t kGuardBytes = 4096;
  static constexpr std::size_t kColourBytes = 5 * kCacheLineBytes;
  static constexpr std::size_t kColours = 16 * 1024;

  StackArena(std::size_t stacks, std::size_t bytes_each);
  ~StackArena();
  StackArena(const StackArena&) = delete;
  StackArena& operator=(const StackArena&) = delete;

  /// Returns a stack. Stacks end at different distances from a page's end; otherwise all ends would
  /// compete for the same few places of the processor's caches.
  Stack stack(std::size_t index) const {
    return {base_ + index * bytes_each_ + kGuardBytes,
            bytes_each_ - kGuardBytes - index * kColourBytes % kColours};
  }

 private:
  std::byte* base_;
  std::size_t bytes_;
  std::size_t bytes_each_;
};

}  // namespace verbena::simnic
