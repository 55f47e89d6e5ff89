// The registered local memory of one worker: scratch, staging, messages and the receive ring.
#include "rdma/worker_memory.h"

#include <bit>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/endpoint_options.h"
#include "rdma/rpc_message.h"

namespace verbena::rdma {
namespace {

constexpr std::size_t kLine = 64;

std::size_t round_up(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

std::size_t message_pool_bytes(const EndpointOptions& options, std::uint32_t nodes) {
  if (options.rpc.message_pool_bytes != 0) return round_up(options.rpc.message_pool_bytes);
  // Every peer may have a reply kept in each of its slots.
  return (std::size_t{2} << 20) + std::size_t{nodes} * options.rpc.slots_per_peer *
                                      std::bit_ceil(std::size_t{options.rpc.max_message_bytes});
}

}  // namespace

WorkerMemory::WorkerMemory(const EndpointOptions& options, std::uint32_t nodes,
                           std::size_t message_bytes)
    : memory_("worker memory",
              kLine + round_up(options.scratch_bytes) + round_up(options.staging_bytes) +
                  message_pool_bytes(options, nodes) +
                  options.rpc.receive_depth * round_up(kGrhBytes + message_bytes),
              {}),
      receive_bytes_(kGrhBytes + message_bytes),
      receive_stride_(round_up(receive_bytes_)) {
  std::byte* next = memory_.base();
  const auto part = [&next](std::size_t bytes) {
    const std::span<std::byte> result(next, bytes);
    next += bytes;
    return result;
  };
  sink_ = part(kLine).data();
  scratch_ = part(round_up(options.scratch_bytes));
  staging_ = part(round_up(options.staging_bytes));
  messages_ = part(message_pool_bytes(options, nodes));
  receive_ = next;
}

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
