// Pools that never give memory back while the simulation lives: records by number, and payload
// buffers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace verbena::simnic {

/// Records of one type, each with a number that fits an event. A record keeps its address and, when
/// it is released and allocated again, its content.
template <typename Record>
class Slab {
 public:
  Record& operator[](std::uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }

  std::uint32_t allocate() {
    if (!free_.empty()) {
      const std::uint32_t number = free_.back();
      free_.pop_back();
      return number;
    }
    if (used_ % kChunk == 0) chunks_.push_back(std::make_unique<Record[]>(kChunk));
    return used_++;
  }

  void release(std::uint32_t number) { free_.push_back(number); }

  /// Number of records allocated now.
  std::uint32_t in_use() const { return used_ - static_cast<std::uint32_t>(free_.size()); }

 private:
  static constexpr std::uint32_t kChunk = 1024;
  std::vector<std::unique_ptr<Record[]>> chunks_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

/// Buffers for payloads in flight, in powers of two from a cache line up. The last one released of
/// a size is the first to be used again.
class PayloadPool {
 public:
  /// Allocates a buffer of at least `bytes`; null for zero bytes.
  std::byte* allocate(std::uint32_t bytes) {
    if (bytes == 0) return nullptr;
    std::vector<std::byte*>& free = free_[size_class(bytes)];
    if (free.empty()) return grow(bytes);
    std::byte* buffer = free.back();
    free.pop_back();
    return buffer;
  }

  /// Gives back what `allocate(bytes)` returned.
  void release(std::byte* buffer, std::uint32_t bytes) {
    if (buffer != nullptr) free_[size_class(bytes)].push_back(buffer);
  }

 private:
  static constexpr std::size_t kSlabBytes = 64 * 1024;

  static std::size_t size_class(std::uint32_t bytes) {
    return bytes <= 64 ? 6 : static_cast<std::size_t>(std::bit_width(bytes - 1));
  }

  std::byte* grow(std::uint32_t bytes) {
    const std::size_t one = std::size_t{1} << size_class(bytes);
    const std::size_t count = one < kSlabBytes ? kSlabBytes / one : 1;
    memory_.push_back(std::make_unique<std::byte[]>(one * count));
    std::byte* first = memory_.back().get();
    for (std::size_t i = count; i-- > 1;) free_[size_class(bytes)].push_back(first + i * one);
    return first;
  }

  std::array<std::vector<std::byte*>, 33> free_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

}  // namespace verbena::simnic
