// The registered local memory of one worker: scratch, staging, messages and receive buffers.
#pragma once

#include <cstddef>
#include <span>

#include "rdma/seam/buffer_memory.h"
#include "rdma/seam/first_touch_memory.h"

namespace verbena::rdma {

/// Sizes of a worker's memory of each kind.
struct WorkerMemorySizes {
  std::size_t scratch_bytes;  ///< for allocate_scratch
  std::size_t staging_bytes;  ///< for copies of written data
  std::size_t message_bytes;  ///< for all messages in flight
  std::size_t receive_buffers;
  std::size_t receive_bytes;  ///< of one receive buffer
  std::size_t ring_bytes;     ///< for message rings that peers write
};

/// One mapping, hence one registration. Parts cost memory only once touched.
class WorkerMemory {
 public:
  /// `arena`: see FirstTouchMemory.
  WorkerMemory(const WorkerMemorySizes& sizes, PageArena* arena);

  std::byte* base() const { return memory_.base(); }
  std::size_t size() const { return memory_.size(); }

  /// Allocates the next `bytes` of scratch memory, 64 B aligned and zero. Throws ConfigurationError
  /// when there is not enough.
  std::span<std::byte> allocate_scratch(std::size_t bytes);

  bool in_scratch(const void* address, std::size_t bytes) const {
    const auto* begin = static_cast<const std::byte*>(address);
    return begin >= scratch_.data() && begin + bytes <= scratch_.data() + scratch_.size();
  }

  /// Destination of values that nobody wants; 64 B.
  std::byte* sink() const { return sink_; }
  std::span<std::byte> staging() const { return staging_; }
  std::span<std::byte> messages() const { return messages_; }

  BufferMemory& receive_buffers() { return receive_buffers_; }
  /// Bytes of a receive buffer that may be used.
  std::size_t receive_bytes() const { return receive_bytes_; }
  std::span<std::byte> rings() const { return rings_; }

 private:
  FirstTouchMemory memory_;
  std::byte* sink_;
  std::span<std::byte> scratch_;
  std::size_t scratch_used_ = 0;
  std::span<std::byte> staging_;
  std::span<std::byte> messages_;
  std::span<std::byte> rings_;
  std::size_t receive_bytes_;
  BufferMemory receive_buffers_;
};

}  // namespace verbena::rdma
