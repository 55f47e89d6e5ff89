// Shared parts of the readers of TOML files. For .cc files only: it includes the parser.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// "FILE:LINE:COLUMN".
std::string toml_place(const std::string& file, const toml::source_region& source);

/// Parses the text of `file`. Throws ConfigurationError that begins with the place of the error.
toml::table parse_toml_table(const std::string& file, const std::string& text);

/// True for keys whose value is the name of one file, and so never a list.
bool is_file_name(const std::string& name);

/// Appends the settings and overrides of `table` (see read_config) to `assignments`, with places
/// "FILE:LINE:COLUMN: KEY". Throws ConfigurationError for a value of a type that no setting has.
void add_toml_assignments(const std::string& file, const toml::table& table,
                          std::vector<Assignment>& assignments);

}  // namespace verbena::experiments
