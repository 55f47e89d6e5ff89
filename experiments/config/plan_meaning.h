// Changes of a plan, whatever the order in which they are said.
#pragma once

#include <string>

namespace verbena::experiments {

/// The same for all texts of --plan that change a plan alike, and one of them: each member once, as
/// it is in the end, in a fixed order, with `validate` as both of the phases that it stands for.
/// Changes that leave a system's plan as it is are told too.
std::string plan_meaning(const std::string& changes);

}  // namespace verbena::experiments
