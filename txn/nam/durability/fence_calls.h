// Calls that ask nodes to fence a dead one.
#pragma once

#include <list>
#include <vector>

#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/nam/messages.h"

namespace verbena::txn::nam {

/// Calls Method::kFence at several nodes. A node that dies meanwhile does not keep the others from
/// being asked. Belongs to its fiber.
class FenceCalls {
 public:
  explicit FenceCalls(rdma::Worker& worker) : worker_(worker) {}

  /// Nodes to which the worker's node is connected, without itself.
  std::vector<NodeId> others() const;

  /// Asks those of `peers` that are alive; may suspend where many messages are on their way. Throws
  /// PeerMissing for a peer that is alive but cannot be called.
  void post(const FenceRequest& request, const std::vector<NodeId>& peers);

  /// Waits for the replies of the nodes that stay alive. Returns nodes that are still claiming
  /// keys, perhaps for the dead node: they must be asked again. Throws as post() does.
  std::vector<NodeId> wait();

 private:
  struct Call {
    Call(NodeId asked, rdma::Rpc& rpc) : peer(asked), batch(rpc) {}
    NodeId peer;
    rdma::RpcBatch batch;
  };

  rdma::Worker& worker_;
  std::list<Call> calls_;
};

}  // namespace verbena::txn::nam
