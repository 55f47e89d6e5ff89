// Findings of a hunt, for people.
#pragma once

#include <string>

#include "experiments/hunt/hunt_record.h"

namespace verbena::experiments {

/// Failures with the lines that repeat them, what was covered, and how fast.
std::string hunt_text(const HuntRecord& record);

}  // namespace verbena::experiments
