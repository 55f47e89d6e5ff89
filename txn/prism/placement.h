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

/// Servers first, each of which keeps one partition; clients behind. Throws ConfigurationError for
/// a cluster of `system` that is too small, and for more than one replica.
View place(const std::string& system, const ServerOptions& options, const ClusterShape& shape);

/// `asked` for `node`, whose links lead from clients to servers. Throws ConfigurationError for more
/// threads of servers than `asked` has.
rdma::EndpointOptions endpoint(const ServerOptions& options, const rdma::EndpointOptions& asked,
                               const Deployment& deployment, NodeId node);

/// Has messages be no longer than one with `payload_bytes` needs.
void limit_messages(rdma::RpcOptions& rpc, std::size_t payload_bytes);

/// Throws ConfigurationError where messages hold `longest` bytes, and `what` needs more.
void check_messages(std::size_t longest, std::size_t needed, const std::string& what);

/// Transactions that the whole cluster has in flight, at most.
std::uint64_t clients(const rdma::ClusterLinks& links, const Deployment& deployment);

}  // namespace verbena::txn::prism
