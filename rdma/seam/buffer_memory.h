// Memory of receive buffers, which hold something only from an arrival until it is handled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rdma/seam/page_arena.h"

namespace verbena::rdma {

/// Buffers of equal length, side by side at the addresses that work requests name. With an arena
/// nothing lies at these addresses: a buffer has memory there from the first access until it is
/// emptied, and the next one gets that memory, so that a ring of hundreds costs, and touches, no
/// more than hold something at once. Without one, as on hardware, they lie where they are named.
/// Not thread-safe.
class BufferMemory {
 public:
  /// `base`: address of the first of `count` buffers of `bytes` each. `arena` must outlive this;
  /// null: none.
  BufferMemory(std::byte* base, std::size_t count, std::size_t bytes, PageArena* arena);
  ~BufferMemory();
  BufferMemory(const BufferMemory&) = delete;
  BufferMemory& operator=(const BufferMemory&) = delete;

  /// Returns the address of a buffer, as work requests name it.
  std::byte* address(std::size_t index) const { return base_ + index * bytes_; }

  /// True if `address` is in a buffer.
  bool covers(std::uint64_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(base_) < count_ * bytes_;
  }

  /// Returns the memory behind `address`, which is in a buffer, up to that buffer's end. Its
  /// content is what was written since the buffer was emptied, and elsewhere undefined.
  std::byte* at(std::uint64_t address) {
    if (places_.empty()) return reinterpret_cast<std::byte*>(address);
    const std::uint64_t offset = address - reinterpret_cast<std::uintptr_t>(base_);
    return memory_of(offset / bytes_) + offset % bytes_;
  }

  /// Returns the memory of a buffer.
  std::byte* content(std::size_t index) {
    return places_.empty() ? address(index) : memory_of(index);
  }

  /// Gives a buffer's memory to the next one that needs some.
  void empty(std::size_t index) {
    if (places_.empty() || places_[index] == kNone) return;
    free_.push_back(std::exchange(places_[index], kNone));
  }

 private:
  /// Distance from the arena's base in cache lines; that of no memory.
  static constexpr std::uint32_t kNone = 0;

  std::byte* memory_of(std::size_t index) {
    if (places_[index] == kNone) places_[index] = take();
    return arena_->base() + std::size_t{places_[index]} * kCacheLineBytes;
  }
  std::uint32_t take();

  std::byte* base_;
  std::size_t count_;
  std::size_t bytes_;
  PageArena* arena_;
  std::vector<std::uint32_t> places_;  // by buffer; empty without an arena
  std::vector<std::uint32_t> free_;
  std::vector<std::byte*> chunks_;
};

}  // namespace verbena::rdma
