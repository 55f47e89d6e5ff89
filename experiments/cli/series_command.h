// Several measurements by one command line.
#pragma once

#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// Makes all measurements of a run or bench with several, each in a process of its own, and shows
/// them together. Returns an ExitCode.
int execute_series(const Sweep& sweep, const OutputOptions& output);

}  // namespace verbena::experiments
