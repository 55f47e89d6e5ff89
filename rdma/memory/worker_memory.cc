// The registered local memory of one worker: scratch, staging, messages, and what these arrive in.
#include "rdma/memory/worker_memory.h"

#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

std::size_t round_up(std::size_t bytes) { return cache_lines(bytes) * kCacheLineBytes; }

}  // namespace

WorkerMemory::WorkerMemory(const WorkerMemorySizes& sizes, PageArena* arena)
    : memory_("worker memory",
              kCacheLineBytes + round_up(sizes.scratch_bytes) + round_up(sizes.staging_bytes) +
                  round_up(sizes.message_bytes) + round_up(sizes.ring_bytes) +
                  sizes.receive_buffers * round_up(sizes.receive_bytes),
              {}, arena),
      sink_(memory_.base()),
      scratch_(sink_ + kCacheLineBytes, round_up(sizes.scratch_bytes)),
      staging_(scratch_.data() + scratch_.size(), round_up(sizes.staging_bytes)),
      messages_(staging_.data() + staging_.size(), round_up(sizes.message_bytes)),
      rings_(messages_.data() + messages_.size(), round_up(sizes.ring_bytes)),
      receive_bytes_(sizes.receive_bytes),
      receive_buffers_(rings_.data() + rings_.size(), sizes.receive_buffers,
                       round_up(sizes.receive_bytes), arena) {}

std::span<std::byte> WorkerMemory::allocate_scratch(std::size_t bytes) {
  const std::size_t rounded = round_up(bytes);
  if (rounded > scratch_.size() - scratch_used_) {
    throw ConfigurationError("scratch_bytes: " + std::to_string(scratch_.size()) +
                             " is too little; " + std::to_string(scratch_used_ + rounded) +
                             " bytes are needed");
  }
  const auto result = scratch_.subspan(scratch_used_, bytes);
  scratch_used_ += rounded;
  return result;
}

}  // namespace verbena::rdma
