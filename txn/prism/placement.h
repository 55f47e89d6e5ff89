// Placement of servers on nodes, and connections of their clients with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rdma/device/endpoint_options.h"
#include "txn/prism/server_options.h"
#include "txn/system.h"
#include "txn/view.h"

namespace verbena::txn::prism {

/// Places servers first, each with one partition, and clients behind. Throws ConfigurationError for
/// a cluster of `system` that is too small, and for more than one replica.
View place(const std::string& system, const ServerOptions& options, const ClusterShape& shape);

/// Returns `asked` for `node`, with links from clients to servers. Throws ConfigurationError when
/// servers have more threads than `asked` has.
rdma::EndpointOptions endpoint(const ServerOptions& options, const rdma::EndpointOptions& asked,
                               const Deployment& deployment, NodeId node);

/// Limits messages to the length that `payload_bytes` need.
void limit_messages(rdma::RpcOptions& rpc, std::size_t payload_bytes);

/// Throws ConfigurationError when messages hold `longest` bytes, and `what` needs more.
void check_messages(std::size_t longest, std::size_t needed, const std::string& what);

/// Most transactions that the whole cluster has in flight.
std::uint64_t clients(const rdma::ClusterLinks& links, const Deployment& deployment);

}  // namespace verbena::txn::prism
