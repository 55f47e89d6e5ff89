// What several measurements have in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/config/command_options.h"

namespace verbena::experiments {

/// Lines that name, of systems, workloads, machines and the settings that a user said, those that
/// are the same in all of `records`: "system drtmh, workload smallbank, threads 24, ...". A line
/// has at most `width` characters, unless a single setting is longer; none where nothing is common.
std::vector<std::string> constants_lines(const std::vector<const ConfigurationRecord*>& records,
                                         std::size_t width);

}  // namespace verbena::experiments
