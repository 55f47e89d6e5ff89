// Asking nodes to fence one that has died.
#pragma once

#include <list>
#include <vector>

#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/nam/messages.h"

namespace verbena::txn::nam {

/// Calls of Method::kFence. Each node answers for itself: one that dies meanwhile keeps no other
/// from being asked. Belongs to its fiber.
class FenceCalls {
 public:
  explicit FenceCalls(rdma::Worker& worker) : worker_(worker) {}

  /// All nodes that the worker's is connected with, but for itself.
  std::vector<NodeId> others() const;

  /// Asks those of `peers` that are alive; may suspend where many messages are on their way. Throws
  /// PeerMissing when one is not dead and cannot be called.
  void post(const FenceRequest& request, const std::vector<NodeId>& peers);

  /// Waits for the answers of those that do not die. Returns those at which keys are being claimed,
  /// perhaps for the dead node: they have to be asked again. Throws as post().
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
