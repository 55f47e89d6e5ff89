// The override keys of simulated hardware, as the program lists them.
#pragma once

#include <vector>

#include "experiments/config/tuning.h"

namespace verbena::experiments {

/// Keys of the simulated NICs, CPUs and network, with their units and ranges.
std::vector<OverrideKey> hardware_keys();

/// Throws ConfigurationError when `value` is not allowed for `key`, one of the keys above.
void check_hardware_key(const std::string& key, const std::string& value);

/// Throws ConfigurationError for an override of a constant that nothing uses as long as another
/// setting is left out, naming both.
void check_hardware_needs(const Options& options);

}  // namespace verbena::experiments
