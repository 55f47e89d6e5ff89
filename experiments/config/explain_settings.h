// Settings of explain, and of timelines.
#pragma once

#include <vector>

#include "experiments/config/setting.h"

namespace verbena::experiments {

/// In the order of help texts.
std::vector<Setting> explain_settings();

/// What explain's settings are when nothing was said. Those of bench are there already.
void set_explain_defaults(Options& options);

}  // namespace verbena::experiments
