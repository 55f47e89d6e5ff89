// Placement of replicas on nodes, and the endpoints that these systems need.
#pragma once

#include <string>

#include "rdma/device/endpoint_options.h"
#include "txn/prism/server_options.h"
#include "txn/system.h"
#include "txn/view.h"

namespace verbena::txn::blocks {

/// The first 2f + 1 nodes are servers, each with a copy of all blocks, which are one partition;
/// clients behind. Throws ConfigurationError for a cluster of `system` that is too small, and for
/// another number of replicas.
View place(const std::string& system, const ClusterShape& shape);

/// `asked` for `node`, with links from clients to servers, and room for what runs in the
/// background.
rdma::EndpointOptions endpoint(const prism::ServerOptions& options,
                               const rdma::EndpointOptions& asked, const Deployment& deployment,
                               NodeId node);

/// The servers, by their place in phases.
std::vector<NodeId> replicas(const View& view);

}  // namespace verbena::txn::blocks
