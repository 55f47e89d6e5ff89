// A measured sweep for people.
#pragma once

#include <string>

#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// Formats the configuration, a line for each place, and the command line that repeats all.
std::string sweep_table(const MeasuredSweep& measured);

}  // namespace verbena::experiments
