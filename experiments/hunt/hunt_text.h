// What a hunt found, for people.
#pragma once

#include <string>

#include "experiments/hunt/campaign.h"

namespace verbena::experiments {

/// Failures with the lines that repeat them, what was covered, and how fast.
std::string hunt_text(const CampaignOptions& options, const CampaignResult& result,
                      double wall_seconds);

}  // namespace verbena::experiments
