// Buffers in registered memory, in sizes that are powers of two.
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

/// A buffer and its users' notes on it.
struct Buffer {
  std::byte* address;
  BufferId next;            ///< in a list of its user's, while taken
  std::uint32_t number;     ///< send queue number of the last request that uses it
  std::uint32_t bytes;      ///< length of the content
  std::uint8_t references;  ///< requests that use it
  std::uint8_t size_class;
  bool queued;    ///< waits to be sent
  bool released;  ///< to be given back when no request uses it
};

/// Hands out buffers of 64 B to 32 KiB from a fixed range of memory. Memory that was cut into
/// buffers of one size stays so until a larger buffer is wanted and free neighbours can be merged.
/// Needs memory of its own only for buffers that were ever taken.
class BufferPool {
 public:
  static constexpr std::size_t kSmallest = 64;
  static constexpr std::size_t kClasses = 10;
  static constexpr std::size_t kLargest = kSmallest << (kClasses - 1);

  explicit BufferPool(std::span<std::byte> memory);

  /// Takes a buffer of at least `bytes`, which is at most kLargest; kNoBuffer when there is none.
  BufferId take(std::size_t bytes);
  void give_back(BufferId id);

  /// True if take(bytes) would succeed.
  bool has(std::size_t bytes);

  Buffer& operator[](BufferId id) { return buffers_[id]; }
  std::size_t taken() const { return taken_; }

 private:
  static std::size_t class_of(std::size_t bytes);
  static std::size_t bytes_of(std::size_t size_class) { return kSmallest << size_class; }
  std::byte* end_of(BufferId id) const {
    return buffers_[id].address + bytes_of(buffers_[id].size_class);
  }
  BufferId add(std::byte* address, std::size_t size_class);
  void put_free(BufferId id);
  bool merge(std::size_t bytes);
  bool merge_run(std::span<const BufferId> run, std::size_t bytes);

  std::span<std::byte> memory_;
  std::size_t cut_ = 0;  // bytes of memory_ that are buffers already
  std::size_t taken_ = 0;
  std::size_t free_bytes_ = 0;  // of buffers
  bool merged_ = true;          // and nothing has been given back since
  std::vector<Buffer> buffers_;
  std::vector<BufferId> spare_;  // numbers of buffers that were merged
  std::array<BufferId, kClasses> free_;
};

}  // namespace verbena::rdma
