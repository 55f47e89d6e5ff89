// Settings that several measurements have in common.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/keys/command.h"

namespace verbena::experiments {

/// Names the systems, workloads, machines and given settings that are the same in all of `records`:
/// "system drtmh, workload smallbank, threads 24, ...". Each line fits the width of a plot, unless
/// a single setting is longer. Empty where nothing is common.
std::vector<std::string> constants_lines(const std::vector<const ConfigurationRecord*>& records);

}  // namespace verbena::experiments
