// What users may set of a hunt.
#pragma once

#include <vector>

#include "experiments/config/command_options.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// Bound to members of `command`.
std::vector<Parameter> hunt_parameters(HuntCommand& command);

}  // namespace verbena::experiments
