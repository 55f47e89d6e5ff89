// Threads and links where servers are apart from clients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/device/endpoint_options.h"
#include "txn/view.h"

namespace verbena::txn {

/// How many threads nodes have; 0: as many as --threads says.
struct ApartWorkers {
  std::uint32_t of_server = 0;  ///< of a node that does not compute
  std::uint32_t of_client = 0;  ///< of one that does
};

/// The parameters `server_workers` and `client_workers`.
std::vector<Parameter> worker_parameters(ApartWorkers& workers);

/// `asked` for `node` of a cluster whose clients have links to all servers, and to nobody else.
/// Throws ConfigurationError for more threads than `asked` has; `section` is that of the
/// parameters.
rdma::EndpointOptions apart_endpoint(const View& view, const ApartWorkers& workers,
                                     const std::string& section, const rdma::EndpointOptions& asked,
                                     NodeId node);

}  // namespace verbena::txn
