// Settings of a run, besides its cluster and fabric.
#pragma once

#include <vector>

#include "experiments/config/commands/run.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// System, workload, what becomes of them, and how transactions come.
std::vector<Parameter> run_parameters(RunCommand& command);

/// How precise a run is to be that finds out how long it takes.
std::vector<Parameter> precision_parameters(RunCommand& command);

std::vector<Parameter> file_parameters(RunCommand& command);
Parameter explain_parameter(RunCommand& command);
std::vector<Parameter> limit_parameters(RunCommand& command);
std::vector<Parameter> fault_parameters(RunCommand& command);

}  // namespace verbena::experiments
