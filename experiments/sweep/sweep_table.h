// A measured sweep for people.
#pragma once

#include <string>

#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// The configuration, a line for each place, and what repeats it all.
std::string sweep_table(const MeasuredSweep& measured);

}  // namespace verbena::experiments
