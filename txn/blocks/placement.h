// Placement of replicas on nodes, and the endpoints that these systems need.
#pragma once

#include <string>

#include "rdma/device/endpoint_options.h"
#include "txn/prism/server_options.h"
#include "txn/system.h"
#include "txn/view.h"

namespace verbena::txn::blocks {

/// Places servers, each with a copy of all blocks, on the first 2f + 1 nodes, and clients on the
/// rest; blocks form one partition. Throws ConfigurationError if the cluster of `system` is too
/// small, or for another number of replicas.
View place(const std::string& system, const ClusterShape& shape);

/// Returns the endpoint options for `node`: `asked`, with links from clients to servers, and room
/// for background fibers.
rdma::EndpointOptions endpoint(const prism::ServerOptions& options,
                               const rdma::EndpointOptions& asked, const Deployment& deployment,
                               NodeId node);

/// Servers, by their place in phases.
std::vector<NodeId> replicas(const View& view);

}  // namespace verbena::txn::blocks
