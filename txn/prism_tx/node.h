// A server or a client of PRISM-TX.
#pragma once

#include <cstdint>
#include <memory>

#include "rdma/endpoint.h"
#include "txn/prism/clients.h"
#include "txn/prism/objects_node.h"
#include "txn/prism/server_options.h"
#include "txn/prism_tx/attempt/options.h"
#include "txn/prism_tx/records/owners.h"
#include "txn/system.h"

namespace verbena::txn::prism_tx {

/// One node's part in PRISM-TX. See Participant.
class Node final : public prism::ObjectsNode {
 public:
  /// Throws ConfigurationError for tables that cannot be laid out, and for too many coroutines.
  Node(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
       const prism::ServerOptions& servers, const Options& options);

  /// Throws ConfigurationError when messages are too short.
  void start() override;
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;

 private:
  Options options_;
  prism::Without without_;
  prism::Clients clients_;
  Owners owners_;
  Nanoseconds ahead_;  // of the node's clock
};

}  // namespace verbena::txn::prism_tx
