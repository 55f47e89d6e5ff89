// How long the messages of calls made of WRITEs may be.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/memory/buffer_pool.h"

namespace verbena::experiments {

/// The largest payload of write-rpc, in bytes: what a WRITE can copy but the number at its end.
constexpr std::size_t kMostWriteRpcPayload = rdma::BufferPool::kLargest - sizeof(std::uint64_t);

}  // namespace verbena::experiments
