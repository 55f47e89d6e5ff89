// Configurations, in one line for people.
#pragma once

#include <string>

#include "experiments/config/commands/bench.h"
#include "experiments/config/commands/run.h"

namespace verbena::experiments {

/// The machines and their network: profiles, which of them are estimates, and whether the host's
/// PCIe is less than the NIC could use.
std::string hardware_text(const FabricCommand& command);

/// The network of the nodes, with the parameters that were chosen, which its name alone does not
/// tell.
std::string network_text(const FabricCommand& command);

/// Work, system, cluster and hardware.
std::string configuration_text(const RunCommand& command);
std::string configuration_text(const BenchCommand& command);

}  // namespace verbena::experiments
