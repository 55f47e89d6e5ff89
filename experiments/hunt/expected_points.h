// Points of the code that the runs of a hunt should come to now and then.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/hunt/draw/ground.h"

namespace verbena::experiments {

/// In their order: those of Core::reach, of which a test sees that this has them all, and of the
/// NICs' counters those that random runs move. A hunt of thousands of seeds, of all systems and
/// workloads, comes to each or nearly each of them.
std::span<const char* const> expected_points();

/// All points of Core::reach, also those to which hunts do not come.
std::vector<std::string> code_points();

/// The expected points to which runs of `ground` can come (see ReachablePoints), in their order.
std::vector<std::string_view> expected_points(const HuntGround& ground);

/// Which of these `reached` does not have, in their order.
std::vector<std::string_view> never_reached(const std::set<std::string, std::less<>>& reached,
                                            const HuntGround& ground);

}  // namespace verbena::experiments
