// Deaths that are asked for, and what has to go with them.
#pragma once

#include "experiments/config/checks.h"
#include "experiments/config/keys/command_options.h"

namespace verbena::experiments {

/// Throws ParameterError or ConflictError for the first of `faults.*` that does not hold, and for
/// nodes that would give up before it is known who is dead.
void check_faults(const RunCommand& command, const Said& said);

}  // namespace verbena::experiments
