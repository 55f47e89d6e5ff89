// Books of buffers: who tells servers where buffers are.
#pragma once

#include <cstdint>

#include "rdma/prism/prism_methods.h"
#include "txn/prism/access/without.h"
#include "txn/prism/buffers/buffer_service.h"
#include "txn/prism/buffers/buffer_stock.h"
#include "txn/prism/buffers/scavenger.h"

namespace verbena::txn::prism {

/// Returns whether servers see which buffers a client has: where one chain takes a buffer and makes
/// a pointer lead to it.
constexpr Scavenger::Holders holders(Without without) {
  return without == Without::kNothing ? Scavenger::Holders::kKnown : Scavenger::Holders::kUnknown;
}

/// Returns the method by which clients give buffers back.
constexpr rdma::RpcMethod return_method(Without without) {
  return without == Without::kNothing ? rdma::kGiveBuffersBack : kBuffersBack;
}

/// Returns the most buffers of a list that a worker has in stock, or has asked for.
constexpr std::uint64_t most_in_stock(Without without) {
  return without == Without::kAllocation ? BufferStock::kMostAtOnce : 0;
}

}  // namespace verbena::txn::prism
