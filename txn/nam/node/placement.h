// Placement of roles on nodes, and checks of options that exclude each other.
#pragma once

#include "rdma/device/endpoint_options.h"
#include "txn/nam/node/options.h"
#include "txn/view.h"

namespace verbena::txn::nam {

/// Places compute servers first, then memory servers, then oracles. Throws ConfigurationError for a
/// cluster that is too small, and for options that exclude each other.
View place(const Options& options, const ClusterShape& shape);

/// Throws ConfigurationError for endpoint options, as asked by users, that the system's options
/// exclude.
void check_endpoint(const Options& options, const rdma::EndpointOptions& asked);

}  // namespace verbena::txn::nam
