// Service of free lists for clients whose operations tell the server nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/prism/chain_server.h"
#include "rdma/rpc/rpc_handler.h"

namespace verbena::rdma {
class Rpc;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

// Methods behind those of Deaths, Pilaf and last chains.

/// Notifies of buffers that are given back (rdma::GivenBack), whoever had them.
inline constexpr rdma::RpcMethod kBuffersBack = 5;
/// Asks for WantedBuffers; the reply is their offsets, maybe fewer.
inline constexpr rdma::RpcMethod kTakeBuffers = 6;

struct WantedBuffers {
  std::uint64_t free_list;
  std::uint64_t count;
};

/// Has the worker of `rpc` serve both methods for the first `lists` lists of `server`, which must
/// outlive it. A server does not know who has a buffer where an ALLOCATE and the compare-and-swap
/// that makes a pointer lead to its buffer are no chain, so it believes what it is told.
void serve_buffers(rdma::Rpc& rpc, rdma::ChainServer& server, std::size_t lists);

}  // namespace verbena::txn::prism
