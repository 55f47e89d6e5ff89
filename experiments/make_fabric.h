// The fabric that a command was asked for.
#pragma once

#include <memory>

#include "experiments/options.h"
#include "rdma/seam/fabric.h"

namespace verbena::experiments {

/// Makes the simulated cluster or opens the hardware that `options` describe. Throws
/// ConfigurationError for what cannot be used, PeerMissing when a peer's address does not answer.
std::unique_ptr<rdma::Fabric> make_fabric(const Options& options);

}  // namespace verbena::experiments
