// Roles and links.
#include "txn/blocks/placement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "txn/prism/placement.h"

namespace verbena::txn::blocks {

View place(const std::string& system, const ClusterShape& shape) {
  if (shape.replicas < 3 || shape.replicas % 2 == 0) {
    throw ConfigurationError("replicas " + std::to_string(shape.replicas) + "; system '" + system +
                             "' keeps 2f + 1 copies, of which f may be lost: allowed are odd "
                             "numbers from 3 on");
  }
  if (shape.nodes <= shape.replicas) {
    throw ConfigurationError("nodes " + std::to_string(shape.nodes) + "; system '" + system +
                             "' needs at least " + std::to_string(shape.replicas + 1) +
                             ": a server for each replica, and a client");
  }
  std::vector<Role> roles(shape.nodes, Role::kCompute);
  std::fill_n(roles.begin(), shape.replicas, Role::kMemory);
  std::vector<NodeId> holders;
  for (std::uint32_t n = 0; n < shape.replicas; ++n) holders.push_back(static_cast<NodeId>(n));
  return {std::move(roles), {std::move(holders)}};
}

std::vector<NodeId> replicas(const View& view) {
  std::vector<NodeId> all = {view.primary(0)};
  const auto backups = view.backups(0);
  all.insert(all.end(), backups.begin(), backups.end());
  return all;
}

rdma::EndpointOptions endpoint(const prism::ServerOptions& options,
                               const rdma::EndpointOptions& asked, const Deployment& deployment,
                               NodeId node) {
  constexpr std::uint32_t kMostFibers = 4096;  // beyond, they come as they are needed
  rdma::EndpointOptions endpoint = prism::endpoint(options, asked, deployment, node);
  endpoint.background = true;
  const auto copies = static_cast<std::uint32_t>(replicas(deployment.view).size());
  if (deployment.view.computes(node)) {
    endpoint.fibers_per_worker =
        std::min(deployment.fibers * (1 + copies) + copies + 3, kMostFibers);
  }
  return endpoint;
}

}  // namespace verbena::txn::blocks
