// The procedures that the bench's workers serve each other.
#pragma once

#include "rdma/rpc/rpc.h"

namespace verbena::experiments {

inline constexpr rdma::RpcMethod kFetch = 1;    ///< a reply of the payload's size
inline constexpr rdma::RpcMethod kMessage = 2;  ///< begins with the time at which it was sent
inline constexpr rdma::RpcMethod kStore = 3;    ///< an empty reply

}  // namespace verbena::experiments
