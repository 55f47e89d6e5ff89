// Buffers in registered memory, by powers of two.
#include "rdma/memory/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace verbena::rdma {

BufferPool::BufferPool(std::span<std::byte> memory) : memory_(memory) { free_.fill(kNoBuffer); }

std::size_t BufferPool::class_of(std::size_t bytes) {
  assert(bytes <= kLargest);
  if (bytes <= kSmallest) return 0;
  return static_cast<std::size_t>(std::bit_width((bytes - 1) / kSmallest));
}

BufferId BufferPool::add(std::byte* address, std::size_t size_class) {
  const Buffer buffer{address, kNoBuffer, 0, 0, 0, static_cast<std::uint8_t>(size_class),
                      false,   false};
  if (spare_.empty()) {
    buffers_.push_back(buffer);
    return static_cast<BufferId>(buffers_.size() - 1);
  }
  const BufferId id = spare_.back();
  spare_.pop_back();
  buffers_[id] = buffer;
  return id;
}

void BufferPool::put_free(BufferId id) {
  Buffer& buffer = buffers_[id];
  buffer.next = free_[buffer.size_class];
  free_[buffer.size_class] = id;
}

BufferId BufferPool::take(std::size_t bytes) {
  const std::size_t wanted = class_of(bytes);
  BufferId id = free_[wanted];
  if (id == kNoBuffer && cut_ + bytes_of(wanted) <= memory_.size()) {
    id = add(memory_.data() + cut_, wanted);
    cut_ += bytes_of(wanted);
    ++taken_;
    return id;
  }
  for (std::size_t larger = wanted + 1; id == kNoBuffer && larger < kClasses; ++larger) {
    id = free_[larger];
  }
  if (id == kNoBuffer) return merge(bytes_of(wanted)) ? take(bytes) : kNoBuffer;
  Buffer& buffer = buffers_[id];
  free_[buffer.size_class] = buffer.next;
  free_bytes_ -= bytes_of(buffer.size_class);
  buffer.next = kNoBuffer;
  buffer.references = 0;
  buffer.queued = false;
  buffer.released = false;
  ++taken_;
  return id;
}

void BufferPool::give_back(BufferId id) {
  assert(taken_ > 0);
  assert(buffers_[id].references == 0 && !buffers_[id].queued);
  put_free(id);
  free_bytes_ += bytes_of(buffers_[id].size_class);
  merged_ = false;
  --taken_;
}

bool BufferPool::has(std::size_t bytes) {
  const std::size_t wanted = class_of(bytes);
  if (cut_ + bytes_of(wanted) <= memory_.size()) return true;
  for (std::size_t larger = wanted; larger < kClasses; ++larger) {
    if (free_[larger] != kNoBuffer) return true;
  }
  return merge(bytes_of(wanted));
}

// Makes a buffer of `bytes`, or as much uncut memory, from free neighbours. Rare, so it may take
// its time.
bool BufferPool::merge(std::size_t bytes) {
  if (merged_ || free_bytes_ + memory_.size() - cut_ < bytes) return false;
  merged_ = true;
  std::vector<BufferId> free;
  for (BufferId& first : free_) {
    for (; first != kNoBuffer; first = buffers_[first].next) free.push_back(first);
  }
  std::sort(free.begin(), free.end(),
            [this](BufferId a, BufferId b) { return buffers_[a].address < buffers_[b].address; });
  bool found = false;
  for (std::size_t begin = 0; begin < free.size();) {
    std::size_t end = begin + 1;
    while (end < free.size() && end_of(free[end - 1]) == buffers_[free[end]].address) ++end;
    const std::span run = std::span(free).subspan(begin, end - begin);
    if (!found && merge_run(run, bytes)) {
      found = true;
    } else {
      for (const BufferId id : run) put_free(id);
    }
    begin = end;
  }
  merged_ = !found;  // other runs may serve the next
  return found;
}

bool BufferPool::merge_run(std::span<const BufferId> run, std::size_t bytes) {
  std::byte* at = buffers_[run.front()].address;
  std::byte* const end = end_of(run.back());
  const auto length = static_cast<std::size_t>(end - at);
  const bool before_uncut = end == memory_.data() + cut_;
  if (length + (before_uncut ? memory_.size() - cut_ : 0) < bytes) return false;
  spare_.insert(spare_.end(), run.begin(), run.end());
  if (before_uncut) {
    cut_ -= length;
    free_bytes_ -= length;
    return true;
  }
  put_free(add(at, class_of(bytes)));
  at += bytes;
  while (at < end) {
    const auto rest = static_cast<std::size_t>(end - at);
    const std::size_t largest = std::min<std::size_t>(std::bit_width(rest / kSmallest), kClasses);
    put_free(add(at, largest - 1));
    at += bytes_of(largest - 1);
  }
  return true;
}

}  // namespace verbena::rdma
