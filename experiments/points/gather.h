// Points that other machines have measured.
#pragma once

#include <string>
#include <vector>

#include "experiments/points/measuring_command.h"
#include "experiments/points/point_store.h"

namespace verbena::experiments {

/// Words for what lets results of `theirs` differ from those of `own`, to follow the name of where
/// they are; empty where nothing does. Programs of `same_file` may be of a commit with uncommitted
/// changes.
std::string difference(const ProgramVersions& theirs, const ProgramVersions& own, bool same_file);

/// Copies the results of `points` that are not in `store` from `directories`, which were --out of
/// other commands, by programs whose results are this one's. Throws ConfigurationError for a
/// directory without results, and when results are nowhere: it names the first of these points, and
/// what keeps a result of it from being taken, and those that were found have been copied.
void gather_points(const std::vector<const MeasuringCommand*>& points,
                   const std::vector<std::string>& directories, PointStore& store);

}  // namespace verbena::experiments
