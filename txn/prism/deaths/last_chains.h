// Tells when nothing of a dead client will be carried out any more.
#pragma once

#include "rdma/base/types.h"

namespace verbena::rdma {
class Rpc;
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

class Scavenger;

/// Has the worker of `rpc` answer have_ended(), as `scavenger`, which must outlive it, knows it.
void serve_last_chains(rdma::Rpc& rpc, const Scavenger& scavenger);

/// True when no chain of `client`, which is dead, will be carried out at `server` any more: what it
/// has left there stays. A node may know of a death before a server does, which until then takes
/// what that client, if it is alive, sends. Waits for the answer; throws PeerMissing for a dead
/// server.
bool have_ended(rdma::Worker& worker, NodeId server, NodeId client);

}  // namespace verbena::txn::prism
