// Settings of a run, apart from its cluster and fabric.
#pragma once

#include <vector>

#include "experiments/config/commands/run.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// The system, the workload, the handling of their results, and the arrival of transactions.
std::vector<Parameter> run_parameters(RunCommand& command);

/// The precision at which a run without a fixed duration ends.
std::vector<Parameter> precision_parameters(RunCommand& command);

std::vector<Parameter> file_parameters(RunCommand& command);
Parameter explain_parameter(RunCommand& command);
std::vector<Parameter> limit_parameters(RunCommand& command);
std::vector<Parameter> fault_parameters(RunCommand& command);

}  // namespace verbena::experiments
