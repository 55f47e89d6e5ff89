// The fabric that a command was asked for.
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
/// ConfigurationError for what cannot be used, PeerMissing when a peer's address does not answer.
/// `observer`, unless null, is told what a simulation does; it must outlive the fabric. `platform`,
/// unless null, is that of the command, which this fabric takes.
std::unique_ptr<rdma::Fabric> make_fabric(const FabricCommand& command,
                                          simnic::Observer* observer = nullptr,
                                          simnic::LoadedPlatform* platform = nullptr);

}  // namespace verbena::experiments
