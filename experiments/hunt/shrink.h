// The smallest run that fails as a given one does.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "experiments/hunt/draw/hunted_run.h"

namespace verbena::experiments {

/// For each of several runs, whether it fails in the way that matters.
using FailsAlike = std::function<std::vector<bool>(const std::vector<HuntedRun>&)>;

/// Leaves settings of `failing` out, together as far as that goes (delta debugging), and takes
/// simpler values for the others, if need be with another seed, until no single step keeps the
/// failure or about `budget` runs were made. The result fails; it may be `failing` itself.
HuntedRun shrunk(HuntedRun failing, const FailsAlike& fails_alike, std::size_t budget);

}  // namespace verbena::experiments
