// Trying a device before a cluster depends on it.
#pragma once

#include <string>

#include "rdma/device/endpoint_options.h"

namespace verbena::experiments {

/// Has this machine's device that is chosen do atomics on its own memory, over a queue pair to
/// itself. Returns what is wrong with them (rdma::fault_of), empty: nothing. Throws what setting up
/// an endpoint throws: ConfigurationError, VerbsError, PeerMissing.
std::string atomics_fault(const rdma::DeviceChoice& device);

}  // namespace verbena::experiments
