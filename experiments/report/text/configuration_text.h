// Configurations in one line for people.
#pragma once

#include <string>

#include "experiments/config/commands/bench.h"
#include "experiments/config/commands/run.h"

namespace verbena::experiments {

/// Describes the machines and their network: profiles, which of them are estimates, and whether the
/// host's PCIe limits the NIC.
std::string hardware_text(const FabricCommand& command);

/// Describes the network of the nodes, with the chosen parameters, which its name alone does not
/// tell.
std::string network_text(const FabricCommand& command);

/// Describe workload or operation, system, cluster and hardware.
std::string configuration_text(const RunCommand& command);
std::string configuration_text(const BenchCommand& command);

}  // namespace verbena::experiments
