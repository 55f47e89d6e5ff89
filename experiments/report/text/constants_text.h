// Settings that several measurements have in common.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/keys/command.h"

namespace verbena::experiments {

/// Lines that name, of systems, workloads, machines and the settings that a user said, those that
/// are the same in all of `records`: "system drtmh, workload smallbank, threads 24, ...". Each fits
/// the width of a plot, unless a single setting is longer; none where nothing is common.
std::vector<std::string> constants_lines(const std::vector<const ConfigurationRecord*>& records);

}  // namespace verbena::experiments
