// The settings that only `verbena run` has.
#pragma once

#include <vector>

#include "experiments/setting.h"

namespace verbena::experiments {

/// What of a setting leaves the choice to others.
inline constexpr const char* kAutomatic = "auto";

/// System, workload and their parameters.
std::vector<Setting> run_settings();

}  // namespace verbena::experiments
