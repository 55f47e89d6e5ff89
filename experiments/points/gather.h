// Points that other machines have measured.
#pragma once

#include <string>
#include <vector>

#include "experiments/points/measuring_command.h"
#include "experiments/points/point_store.h"

namespace verbena::experiments {

/// Copies the results of `points` that are not in `store` from `directories`, which were --out of
/// other commands, by the same program. Throws ConfigurationError for a directory without results,
/// and when results are nowhere: it names the first of these points, and those that were found have
/// been copied.
void gather_points(const std::vector<const MeasuringCommand*>& points,
                   const std::vector<std::string>& directories, PointStore& store);

}  // namespace verbena::experiments
