// Memory in chunks of a few buffers.
#include "rdma/seam/buffer_memory.h"

#include <cassert>

namespace verbena::rdma {
namespace {

constexpr std::size_t kChunkBuffers = 4;

}  // namespace

BufferMemory::BufferMemory(std::byte* base, std::size_t count, std::size_t bytes, PageArena* arena)
    : base_(base), count_(count), bytes_(bytes), arena_(arena) {
  assert(bytes % kCacheLineBytes == 0);
  if (arena != nullptr) places_.resize(count, kNone);
}

BufferMemory::~BufferMemory() {
  for (std::byte* const chunk : chunks_) arena_->give_back(chunk, kChunkBuffers * bytes_);
}

std::uint32_t BufferMemory::take() {
  if (free_.empty()) {
    chunks_.push_back(arena_->take(kChunkBuffers * bytes_));
    const auto offset = static_cast<std::size_t>(chunks_.back() - arena_->base());
    const std::size_t end = (offset + kChunkBuffers * bytes_) / kCacheLineBytes;
    if (end > UINT32_MAX) throw std::bad_alloc();
    for (std::size_t i = kChunkBuffers; i > 0; --i) {
      const std::size_t place = (offset + (i - 1) * bytes_) / kCacheLineBytes;
      free_.push_back(static_cast<std::uint32_t>(place));
    }
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  return place;
}

}  // namespace verbena::rdma
