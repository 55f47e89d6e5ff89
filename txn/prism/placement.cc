// Roles and links.
#include "txn/prism/placement.h"

#include <algorithm>

#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"
#include "rdma/rpc/transport/rpc_message.h"

namespace verbena::txn::prism {

View place(const std::string& system, const ServerOptions& options, const ClusterShape& shape) {
  if (shape.replicas != 1) {
    throw ConfigurationError("replicas " + std::to_string(shape.replicas) + "; system '" + system +
                             "' keeps 1 copy of each record");
  }
  if (shape.nodes < 2) {
    throw ConfigurationError("nodes " + std::to_string(shape.nodes) + "; system '" + system +
                             "' needs 2: a server and a client");
  }
  const std::uint32_t servers = options.servers == 0 ? shape.nodes / 2 : options.servers;
  if (servers >= shape.nodes) {
    throw ConfigurationError("prism.servers " + std::to_string(servers) + "; allowed are at most " +
                             std::to_string(shape.nodes - 1) + " of " +
                             std::to_string(shape.nodes) + " nodes");
  }
  return View::apart(shape.nodes, servers);
}

rdma::EndpointOptions endpoint(const ServerOptions& options, const rdma::EndpointOptions& asked,
                               const Deployment& deployment, NodeId node) {
  rdma::EndpointOptions endpoint =
      apart_endpoint(deployment.view, options.workers, "prism", asked, node);
  endpoint.fibers_per_worker = deployment.fibers;
  return endpoint;
}

void limit_messages(rdma::RpcOptions& rpc, std::size_t payload_bytes) {
  const std::size_t bytes = sizeof(rdma::MessageHeader) + payload_bytes;
  if (bytes >= rpc.max_message_bytes) return;
  rpc.max_message_bytes = std::max(rdma::kLeastMessageBytes, static_cast<std::uint32_t>(bytes));
}

void check_messages(std::size_t longest, std::size_t needed, const std::string& what) {
  if (longest >= needed) return;
  throw ConfigurationError("messages hold " + std::to_string(longest) + " bytes, and " + what +
                           " needs " + std::to_string(needed) +
                           ": allowed are shorter records, a larger rdma.rpc_max_message_bytes, "
                           "or, where the port's MTU is less, rdma.rpc_transport=write-ring");
}

std::uint64_t clients(const rdma::ClusterLinks& links, const Deployment& deployment) {
  std::uint64_t fibers = 0;
  for (std::uint32_t n = 0; n < links.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (deployment.view.computes(node)) {
      fibers += std::uint64_t{links.workers(node)} * deployment.fibers;
    }
  }
  return fibers;
}

}  // namespace verbena::txn::prism
