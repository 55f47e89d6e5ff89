// Buffers in registered memory, by powers of two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace verbena::rdma {

/// Index of a buffer in its pool.
using BufferId = std::uint32_t;
inline constexpr BufferId kNoBuffer = UINT32_MAX;

/// A buffer and what its users note about it.
struct Buffer {
  std::byte* address;
  BufferId next;            ///< in a list of the user's while taken
  std::uint32_t number;     ///< send queue number of the last request that uses it
  std::uint32_t bytes;      ///< length of the content
  std::uint8_t references;  ///< requests that use it
  std::uint8_t size_class;
  bool queued;    ///< waits to be sent
  bool released;  ///< to be given back when no request uses it
};

/// Hands out buffers of 64 B to 32 KiB from a fixed range of memory. Memory once cut into buffers
/// of a size keeps it. Takes no memory for itself but for buffers that were taken at some time.
class BufferPool {
 public:
  static constexpr std::size_t kSmallest = 64;
  static constexpr std::size_t kClasses = 10;
  static constexpr std::size_t kLargest = kSmallest << (kClasses - 1);

  explicit BufferPool(std::span<std::byte> memory);

  /// A buffer of at least `bytes`, or kNoBuffer when there is none. `bytes` is at most kLargest.
  BufferId take(std::size_t bytes);
  void give_back(BufferId id);

  /// Whether take(bytes) would succeed.
  bool has(std::size_t bytes) const;

  Buffer& operator[](BufferId id) { return buffers_[id]; }
  std::size_t taken() const { return taken_; }

 private:
  static std::size_t class_of(std::size_t bytes);

  std::span<std::byte> memory_;
  std::size_t cut_ = 0;  // bytes of memory_ that are buffers already
  std::size_t taken_ = 0;
  std::vector<Buffer> buffers_;
  std::array<BufferId, kClasses> free_;
};

}  // namespace verbena::rdma
