// Findings of a hunt, for people.
#pragma once

#include <string>

#include "experiments/hunt/hunt_record.h"

namespace verbena::experiments {

/// Formats failures with the command lines that repeat them, the coverage, and the speed.
std::string hunt_text(const HuntRecord& record);

}  // namespace verbena::experiments
