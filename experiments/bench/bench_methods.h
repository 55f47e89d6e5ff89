// The procedures that the bench's workers serve each other.
#pragma once

#include "rdma/rpc/rpc.h"

namespace verbena::experiments {

inline constexpr rdma::RpcMethod kFetch = 1;    ///< returns a payload
inline constexpr rdma::RpcMethod kMessage = 2;  ///< begins with the time it was sent; no reply
inline constexpr rdma::RpcMethod kStore = 3;    ///< takes a payload; its reply is empty

}  // namespace verbena::experiments
