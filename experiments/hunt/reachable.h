// Which points of the code the runs of a ground can come to at all.
#pragma once

#include <string_view>

#include "experiments/hunt/ground.h"

namespace verbena::experiments {

/// Whether some run that may be drawn on `ground` comes to `point`, as far as it follows from the
/// systems and from what is set that none does.
bool can_reach(std::string_view point, const HuntGround& ground);

}  // namespace verbena::experiments
