// Memory that each attempt allocates anew from its beginning.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>

namespace verbena::txn::occ {

/// Allocates by bumping an offset in a fixed piece of registered memory. Not thread-safe.
class Arena {
 public:
  explicit Arena(std::span<std::byte> memory) : memory_(memory) {}

  /// Returns `bytes` bytes at a multiple of `alignment` (a power of two, at most 64),
  /// uninitialized, valid until reset().
  std::byte* allocate(std::size_t bytes, std::size_t alignment = 8) {
    const std::size_t begin = (used_ + alignment - 1) & ~(alignment - 1);
    if (begin + bytes > memory_.size())
      throw std::logic_error("a transaction touches more records than was declared");
    used_ = begin + bytes;
    return memory_.data() + begin;
  }

  void reset() { used_ = 0; }

 private:
  std::span<std::byte> memory_;
  std::size_t used_ = 0;
};

}  // namespace verbena::txn::occ
