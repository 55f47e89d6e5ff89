// Results of points that other machines have measured.
#pragma once

#include <string>
#include <vector>

#include "experiments/points/measuring_command.h"
#include "experiments/points/point_store.h"

namespace verbena::experiments {

/// Describes why results of `theirs` may differ from those of `own`, in words that follow the name
/// of their place; empty when nothing differs. Programs of `same_file` may have uncommitted
/// changes.
std::string difference(const ProgramVersions& theirs, const ProgramVersions& own, bool same_file);

/// Copies results of `points` that are missing in `store` from `directories`, the --out directories
/// of other commands whose programs give equal results. Throws ConfigurationError for a directory
/// without results. Throws it, too, when results are missing everywhere: it names the first such
/// point and why a result of it was not taken; results that were found are copied before.
void gather_points(const std::vector<const MeasuringCommand*>& points,
                   const std::vector<std::string>& directories, const PointStore& store);

}  // namespace verbena::experiments
