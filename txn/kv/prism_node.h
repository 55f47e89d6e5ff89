// A server or a client of PRISM-KV.
#pragma once

#include <cstdint>
#include <memory>

#include "rdma/endpoint.h"
#include "txn/prism/objects_node.h"
#include "txn/prism/server_options.h"
#include "txn/system.h"

namespace verbena::txn::kv {

/// One node's part in PRISM-KV. See Participant.
class PrismNode final : public prism::ObjectsNode {
 public:
  /// Throws ConfigurationError for tables that cannot be laid out.
  PrismNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
            const prism::ServerOptions& options);

  /// Throws ConfigurationError when messages are too short.
  void start() override;
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;

 private:
  prism::Without without_;
};

}  // namespace verbena::txn::kv
