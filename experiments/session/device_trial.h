// Tests a device before a cluster depends on it.
#pragma once

#include <string>

#include "rdma/device/endpoint_options.h"

namespace verbena::experiments {

/// Makes the chosen device of this machine do atomics on its own memory, over a queue pair to
/// itself. Returns what is wrong with them (rdma::fault_of); empty if nothing is. Throws as the
/// set-up of an endpoint does: ConfigurationError, VerbsError, PeerMissing.
std::string atomics_fault(const rdma::DeviceChoice& device);

}  // namespace verbena::experiments
