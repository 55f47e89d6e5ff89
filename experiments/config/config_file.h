// What --config reads.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// The assignments of a TOML file (see toml_config.h), or those of the results of an earlier run
/// (see json_config.h), which so is repeated. `line` tells the command that they are for. Throws
/// ConfigurationError, naming the file, when it cannot be read or used.
std::vector<Assignment> read_config(const std::string& file, const CommandLine& line);

}  // namespace verbena::experiments
