// Configuration files: the program's settings and overrides as TOML.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// Reads the text of `file`, such as
///
///     nodes = 4
///     duration = "2ms"
///     [nic]                       # a section of overrides ...
///     name = "connectx-4"         # ... in which `name` is the setting of the section's name
///     qp_cache_entries = 2048     # nic.qp_cache_entries
///
/// into assignments, whose places are "FILE:LINE:COLUMN: KEY". Throws ConfigurationError, with
/// file, line and column, for what is not TOML or has a type that no setting has.
std::vector<Assignment> parse_toml(const std::string& file, const std::string& text);

}  // namespace verbena::experiments
