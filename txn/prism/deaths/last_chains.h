// Query for the end of a dead client's chains at a server.
#pragma once

#include "rdma/base/types.h"

namespace verbena::rdma {
class Rpc;
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

class Scavenger;

/// Makes the worker of `rpc` answer have_ended() from `scavenger`, which must outlive it.
void serve_last_chains(rdma::Rpc& rpc, const Scavenger& scavenger);

/// Returns true when no chain of `client`, which is dead, will be carried out at `server` any more,
/// so that what it has left there stays. Asks the server, since it may learn of the death later
/// than this node, and accepts the client's messages until then. Waits for the answer; throws
/// PeerMissing for a dead server.
bool have_ended(rdma::Worker& worker, NodeId server, NodeId client);

}  // namespace verbena::txn::prism
