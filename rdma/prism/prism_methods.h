// The procedures by which servers carry out chains and one-sided requests.
#pragma once

#include <cstdint>

#include "rdma/rpc/rpc_handler.h"

namespace verbena::rdma {

// Methods from 240 on are this layer's.
inline constexpr RpcMethod kCarryOutChain = 240;  ///< chain_message.h
inline constexpr RpcMethod kGiveBuffersBack = 241;
inline constexpr RpcMethod kCarryOutRequests = 242;  ///< request_message.h

/// Begins a notification of buffers that are given back; the offset of each follows.
struct GivenBack {
  std::uint64_t free_list;
};

}  // namespace verbena::rdma
