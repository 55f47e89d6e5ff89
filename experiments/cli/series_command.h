// Several measurements by one command line.
#pragma once

#include <string>

#include "experiments/config/keys/command_options.h"

namespace verbena::experiments {

/// Makes the measurements of a run or bench that has several, each in a process of its own, and
/// shows them together. Returns an ExitCode.
int execute_series(const RunCommand& whole);
int execute_series(const BenchCommand& whole);

}  // namespace verbena::experiments
