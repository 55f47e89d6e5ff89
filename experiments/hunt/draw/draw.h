// Draws the run of a seed.
#pragma once

#include <cstdint>

#include "experiments/hunt/draw/ground.h"
#include "experiments/hunt/draw/hunted_run.h"

namespace verbena::experiments {

/// Draws the run of `seed`: cluster; system, perhaps with a changed plan; workload with small
/// tables; fabric, perhaps with losses or chaos; short time-outs; small rings and caches. Equal
/// arguments give the same run. `run` may refuse it, where settings do not go together; another
/// `draw` is another try.
HuntedRun draw_run(std::uint64_t seed, const HuntGround& ground, std::uint64_t draw = 0);

}  // namespace verbena::experiments
