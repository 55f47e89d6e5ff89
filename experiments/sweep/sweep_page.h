// A measured sweep as one HTML page.
#pragma once

#include <string>
#include <vector>

#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// Makes a self-contained HTML page: the command, the plots (as SVG), the numbers, and the command
/// line of each measurement.
std::string sweep_page(const MeasuredSweep& measured, const std::vector<std::string>& plots);

}  // namespace verbena::experiments
