// A normal form of changes of a plan.
#pragma once

#include <string>

namespace verbena::experiments {

/// Returns a text of --plan with the same effect as `changes`, the same for all equivalent texts:
/// each member once, with its final value, in a fixed order; `validate` becomes the two phases that
/// it stands for. Changes without an effect on the system's plan are kept.
std::string plan_meaning(const std::string& changes);

}  // namespace verbena::experiments
