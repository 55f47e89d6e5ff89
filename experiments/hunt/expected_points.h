// Points of the code that hunts should reach.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/hunt/draw/ground.h"

namespace verbena::experiments {

/// Returns all points of Core::reach that hunts reach (a test checks that none is missing), then
/// those of the NICs' counters that random runs change, in their order. A hunt of thousands of
/// seeds with all systems and workloads reaches nearly all of them.
std::span<const char* const> expected_points();

/// Returns all points of Core::reach, including those that hunts do not reach.
std::vector<std::string> code_points();

/// Returns the expected points that runs of `ground` can reach (see ReachablePoints), in their
/// order.
std::vector<std::string_view> expected_points(const HuntGround& ground);

/// Returns the expected points of `ground` that are not in `reached`, in their order.
std::vector<std::string_view> never_reached(const std::set<std::string, std::less<>>& reached,
                                            const HuntGround& ground);

}  // namespace verbena::experiments
