// Chunks of holders, made when they are needed.
#include "rdma/prism/buffer_holders.h"

#include <algorithm>
#include <mutex>

namespace verbena::rdma {

BufferHolders::BufferHolders(std::uint64_t first, std::uint32_t buffer_bytes, std::uint32_t buffers)
    : first_(first),
      buffer_bytes_(buffer_bytes),
      buffers_(buffers),
      chunks_((buffers + kInChunk - 1) / kInChunk) {}

std::optional<std::uint64_t> BufferHolders::index_of(std::uint64_t offset) const {
  if (offset < first_ || (offset - first_) % buffer_bytes_ != 0) return std::nullopt;
  const std::uint64_t index = (offset - first_) / buffer_bytes_;
  if (index >= buffers_) return std::nullopt;
  return index;
}

void BufferHolders::set(std::uint64_t offset, std::uint16_t holder) {
  const std::optional<std::uint64_t> index = index_of(offset);
  if (!index) return;
  std::unique_ptr<Chunk>& chunk = chunks_[*index / kInChunk];
  if (chunk == nullptr) {
    chunk = std::make_unique<Chunk>();
    chunk->fill(kNobody);
  }
  (*chunk)[*index % kInChunk] = holder;
}

void BufferHolders::take(std::uint64_t offset, NodeId client) {
  const std::lock_guard guard(lock_);
  set(offset, client);
}

bool BufferHolders::give_back(std::uint64_t buffer, NodeId client) {
  const std::lock_guard guard(lock_);
  if (std::ranges::find(collected_, client) != collected_.end()) return false;
  set(buffer, kNobody);
  return true;
}

std::vector<std::uint64_t> BufferHolders::collect(NodeId client) {
  const std::lock_guard guard(lock_);
  if (std::ranges::find(collected_, client) == collected_.end()) collected_.push_back(client);
  std::vector<std::uint64_t> found;
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    if (chunks_[c] == nullptr) continue;
    for (std::size_t i = 0; i < kInChunk; ++i) {
      std::uint16_t& holder = (*chunks_[c])[i];
      if (holder != client) continue;
      holder = kNobody;
      found.push_back(first_ + (c * kInChunk + i) * buffer_bytes_);
    }
  }
  return found;
}

}  // namespace verbena::rdma
