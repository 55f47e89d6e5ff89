// Which run a seed stands for.
#pragma once

#include <cstdint>

#include "experiments/hunt/draw/ground.h"
#include "experiments/hunt/draw/hunted_run.h"

namespace verbena::experiments {

/// The run of `seed`: cluster, system or a change of its plan, workload with small tables, fabric
/// with losses and chaos or not, short time-outs, small rings and caches. Equal arguments give the
/// same run. It may be one that `run` refuses, where settings do not go together; another `draw` is
/// then another try.
HuntedRun draw_run(std::uint64_t seed, const HuntGround& ground, std::uint64_t draw = 0);

}  // namespace verbena::experiments
