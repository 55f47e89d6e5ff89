// Makes the fabric of a command.
#pragma once

#include <memory>

#include "experiments/config/keys/fabric_command.h"
#include "rdma/seam/fabric.h"

namespace verbena::simnic {
class LoadedPlatform;
class Observer;
}  // namespace verbena::simnic

namespace verbena::experiments {

/// Makes the simulated cluster or opens the hardware that `command` describes. Throws
/// ConfigurationError for unusable settings or devices, PeerMissing when a peer's address does not
/// answer. `observer`, unless null, observes a simulation and must outlive the fabric. `platform`,
/// unless null, is the command's loaded platform, which the fabric takes over.
std::unique_ptr<rdma::Fabric> make_fabric(const FabricCommand& command,
                                          simnic::Observer* observer = nullptr,
                                          simnic::LoadedPlatform* platform = nullptr);

}  // namespace verbena::experiments
