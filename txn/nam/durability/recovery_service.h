// Service of each node for the recovery of a dead compute server.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "rdma/rpc/rpc_handler.h"
#include "rdma/worker.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/messages.h"

namespace verbena::txn::nam {

/// Serves the procedures of a recovery at one worker: Method::kFence at every node,
/// Method::kRelease at memory servers. Worker-local; its arguments are shared by all workers.
class RecoveryService {
 public:
  /// `index_of`: empty at a node without records. `note_dead` is called with the dead node and the
  /// one that recovers it. `claims` counts handlers that are claiming keys.
  RecoveryService(rdma::Worker& worker, IndexOf index_of,
                  std::function<void(const FenceRequest&)> note_dead,
                  const std::atomic<std::uint32_t>& claims);

 private:
  using Request = std::span<const std::byte>;

  void fence(Request request, rdma::RpcReply& reply);
  void release(Request request, rdma::RpcReply& reply);

  rdma::Worker& worker_;
  IndexOf index_of_;
  std::function<void(const FenceRequest&)> note_dead_;
  const std::atomic<std::uint32_t>& claims_;
};

}  // namespace verbena::txn::nam
