// Buffers on their way from those that give them back to those that take them.
#include "rdma/chain/free_list.h"

namespace verbena::rdma {

FreeList::FreeList(std::uint64_t first, std::uint32_t buffer_bytes, std::uint32_t buffers,
                   const Epochs& epochs)
    : first_(first), buffer_bytes_(buffer_bytes), epochs_(epochs), free_(buffers) {}

std::optional<std::uint32_t> FreeList::index_of(std::uint64_t offset) const {
  if (offset < first_ || (offset - first_) % buffer_bytes_ != 0) return std::nullopt;
  const std::uint64_t index = (offset - first_) / buffer_bytes_;
  if (index >= free_.size()) return std::nullopt;
  return static_cast<std::uint32_t>(index);
}

// In the order in which they came, though one that came later may be over before.
void FreeList::leave_limbo() {
  while (!limbo_.empty() && epochs_.over(limbo_.front().second)) {
    listed_.push_back(limbo_.front().first);
    limbo_.pop_front();
  }
}

std::optional<std::uint64_t> FreeList::pop() {
  const std::lock_guard guard(lock_);
  if (listed_.empty()) leave_limbo();
  if (listed_.empty()) return std::nullopt;
  const std::uint32_t index = listed_.front();
  listed_.pop_front();
  free_[index] = false;
  ++popped_;
  return offset_of(index);
}

FreeList::Post FreeList::add(std::uint64_t offset, bool in_use_before) {
  const std::optional<std::uint32_t> index = index_of(offset);
  if (!index) return Post::kNotABuffer;
  const std::lock_guard guard(lock_);
  if (free_[*index]) return Post::kAlreadyFree;
  free_[*index] = true;
  ++posted_;
  leave_limbo();
  // A list that follows this one has one queue.
  const bool queues = next_ && !limbo_.empty();
  if (in_use_before || queues) {
    limbo_.emplace_back(*index, in_use_before ? epochs_.now() : Epochs::InFlight{});
  } else {
    listed_.push_back(*index);
  }
  if (next_) next_(offset);
  return Post::kPosted;
}

void FreeList::forward(std::function<void(std::uint64_t offset)> next) {
  const std::lock_guard guard(lock_);
  for (const std::uint32_t index : listed_) next(offset_of(index));
  for (const auto& [index, in_flight] : limbo_) next(offset_of(index));
  next_ = std::move(next);
}

FreeList::Post FreeList::post_new(std::uint64_t offset) { return add(offset, false); }

FreeList::Post FreeList::post(std::uint64_t offset) { return add(offset, true); }

std::uint32_t FreeList::listed() {
  const std::lock_guard guard(lock_);
  leave_limbo();
  return static_cast<std::uint32_t>(listed_.size());
}

std::uint32_t FreeList::in_limbo() {
  const std::lock_guard guard(lock_);
  leave_limbo();
  return static_cast<std::uint32_t>(limbo_.size());
}

std::uint64_t FreeList::popped() const {
  const std::lock_guard guard(lock_);
  return popped_;
}

std::uint64_t FreeList::posted() const {
  const std::lock_guard guard(lock_);
  return posted_;
}

bool FreeList::is_free(std::uint64_t offset) const {
  const std::optional<std::uint32_t> index = index_of(offset);
  const std::lock_guard guard(lock_);
  return index && free_[*index];
}

}  // namespace verbena::rdma
