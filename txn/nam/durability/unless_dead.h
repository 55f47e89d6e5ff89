// Asking something of a node that may die meanwhile.
#pragma once

#include "rdma/base/errors.h"
#include "rdma/base/types.h"
#include "rdma/endpoint.h"

namespace verbena::txn::nam {

/// Does what asks something of `peer`, or waits for it. False: that failed since the peer is dead;
/// a failure while it is alive is thrown on.
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
