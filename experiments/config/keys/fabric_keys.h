// Keys that several commands have.
#pragma once

#include <vector>

#include "experiments/config/keys/fabric_command.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

std::vector<Parameter> device_parameters(FabricOptions& fabric);
Parameter json_parameter(OutputOptions& output);
Parameter progress_parameter(bool& target);

/// Adds the cluster's keys that run, bench and explain have.
void add_cluster(Keys& keys, FabricCommand& command);

/// Adds the keys that both run and bench have.
void add_measuring(Keys& keys, FabricCommand& command);

void add_output(Keys& keys, OutputOptions& output);
void add_constants(Keys& keys, FabricOptions& fabric);

}  // namespace verbena::experiments
