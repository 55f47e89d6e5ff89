// Requests to a node that may die meanwhile.
#pragma once

#include "rdma/base/errors.h"
#include "rdma/base/types.h"
#include "rdma/endpoint.h"

namespace verbena::txn::nam {

/// Calls `asking`, which sends to `peer` or waits for it. Returns false if that failed because the
/// peer is dead; rethrows a failure while it is alive.
template <typename Asking>
bool unless_dead(const rdma::Endpoint& endpoint, NodeId peer, const Asking& asking) {
  try {
    asking();
    return true;
  } catch (const VerbsError&) {
    if (!endpoint.is_dead(peer)) throw;
  } catch (const PeerMissing&) {
    if (!endpoint.is_dead(peer)) throw;
  }
  return false;
}

}  // namespace verbena::txn::nam
