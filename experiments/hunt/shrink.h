// Finds the smallest run that fails in the same way as a given one.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "experiments/hunt/draw/hunted_run.h"

namespace verbena::experiments {

/// Tells, for each of several runs, whether it fails in the same way.
using FailsAlike = std::function<std::vector<bool>(const std::vector<HuntedRun>&)>;

/// Shrinks `failing`: leaves settings out, many at once where possible (delta debugging), and takes
/// simpler values for the others, if need be with another seed. Stops when no single step keeps the
/// failure or after about `budget` runs. The result fails; it may be `failing` itself.
HuntedRun shrunk(HuntedRun failing, const FailsAlike& fails_alike, std::size_t budget);

}  // namespace verbena::experiments
