// Buffers in registered memory, by powers of two.
#include "rdma/buffer_pool.h"

#include <bit>
#include <cassert>

namespace verbena::rdma {

BufferPool::BufferPool(std::span<std::byte> memory) : memory_(memory) { free_.fill(kNoBuffer); }

std::size_t BufferPool::class_of(std::size_t bytes) {
  assert(bytes <= kLargest);
  if (bytes <= kSmallest) return 0;
  return static_cast<std::size_t>(std::bit_width((bytes - 1) / kSmallest));
}

BufferId BufferPool::take(std::size_t bytes) {
  const std::size_t wanted = class_of(bytes);
  BufferId id = free_[wanted];
  if (id == kNoBuffer && cut_ + (kSmallest << wanted) <= memory_.size()) {
    id = static_cast<BufferId>(buffers_.size());
    buffers_.push_back({memory_.data() + cut_, kNoBuffer, 0, 0, 0,
                        static_cast<std::uint8_t>(wanted), false, false});
    cut_ += kSmallest << wanted;
    ++taken_;
    return id;
  }
  for (std::size_t larger = wanted + 1; id == kNoBuffer && larger < kClasses; ++larger) {
    id = free_[larger];
  }
  if (id == kNoBuffer) return kNoBuffer;
  Buffer& buffer = buffers_[id];
  free_[buffer.size_class] = buffer.next;
  buffer.next = kNoBuffer;
  buffer.references = 0;
  buffer.queued = false;
  buffer.released = false;
  ++taken_;
  return id;
}

void BufferPool::give_back(BufferId id) {
  Buffer& buffer = buffers_[id];
  assert(buffer.references == 0);
  buffer.next = free_[buffer.size_class];
  free_[buffer.size_class] = id;
  --taken_;
}

bool BufferPool::has(std::size_t bytes) const {
  const std::size_t wanted = class_of(bytes);
  if (cut_ + (kSmallest << wanted) <= memory_.size()) return true;
  for (std::size_t larger = wanted; larger < kClasses; ++larger) {
    if (free_[larger] != kNoBuffer) return true;
  }
  return false;
}

}  // namespace verbena::rdma
