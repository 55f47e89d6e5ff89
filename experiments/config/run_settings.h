// The settings that only `verbena run` has.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/config/setting.h"

namespace verbena::experiments {

/// What of a setting leaves the choice to others.
inline constexpr const char* kAutomatic = "auto";

/// Of TPC-C, in the whole cluster.
inline constexpr std::uint64_t kMostWarehouses = 65'535;

/// System, workload and their parameters.
std::vector<Setting> run_settings();

}  // namespace verbena::experiments
