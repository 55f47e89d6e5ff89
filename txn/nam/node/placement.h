// Which nodes of a cluster do what, and whether what was chosen goes together.
#pragma once

#include "rdma/device/endpoint_options.h"
#include "txn/nam/node/options.h"
#include "txn/view.h"

namespace verbena::txn::nam {

/// Compute servers first, then memory servers, then oracles. Throws ConfigurationError for a
/// cluster that is too small, and for options that do not go together.
View place(const Options& options, const ClusterShape& shape);

/// Throws ConfigurationError for endpoints, as users asked for them, that do not go with the
/// options.
void check_endpoint(const Options& options, const rdma::EndpointOptions& asked);

}  // namespace verbena::txn::nam
