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

// Null: nobody has any of its chunk.
std::uint16_t* BufferHolders::holder_of(std::uint64_t index) {
  Chunk* const chunk = chunks_[index / kInChunk].get();
  return chunk == nullptr ? nullptr : &(*chunk)[index % kInChunk];
}

void BufferHolders::take(std::uint64_t offset, NodeId client) {
  const std::optional<std::uint64_t> index = index_of(offset);
  if (!index) return;
  const std::lock_guard guard(lock_);
  std::unique_ptr<Chunk>& chunk = chunks_[*index / kInChunk];
  if (chunk == nullptr) {
    chunk = std::make_unique<Chunk>();
    chunk->fill(kNobody);
  }
  *holder_of(*index) = client;
}

BufferHolders::Report BufferHolders::give_back(std::uint64_t buffer, NodeId client) {
  const std::optional<std::uint64_t> index = index_of(buffer);
  const std::lock_guard guard(lock_);
  if (std::ranges::find(collected_, client) != collected_.end()) return Report::kCollected;
  std::uint16_t* const holder = index ? holder_of(*index) : nullptr;
  if (holder == nullptr || *holder != client) return Report::kNotHeld;
  *holder = kNobody;
  return Report::kTaken;
}

// Others wait for one chunk at a time.
std::vector<std::uint64_t> BufferHolders::collect(NodeId client) {
  {
    const std::lock_guard guard(lock_);
    if (std::ranges::find(collected_, client) == collected_.end()) collected_.push_back(client);
  }
  std::vector<std::uint64_t> found;
  for (std::size_t c = 0; c < chunks_.size(); ++c) collect_from(c, client, found);
  return found;
}

void BufferHolders::collect_from(std::size_t chunk, NodeId client,
                                 std::vector<std::uint64_t>& found) {
  const std::lock_guard guard(lock_);
  if (chunks_[chunk] == nullptr) return;
  for (std::size_t i = 0; i < kInChunk; ++i) {
    std::uint16_t& holder = (*chunks_[chunk])[i];
    if (holder != client) continue;
    holder = kNobody;
    found.push_back(first_ + (chunk * kInChunk + i) * buffer_bytes_);
  }
}

}  // namespace verbena::rdma
