// The file that --config names.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// Name of every document of results, in its member `schema`; docs/reference/documents.md tells
/// when the version grows.
inline constexpr const char* kSchemaName = "verbena.results";
inline constexpr int kSchemaVersion = 2;
inline constexpr const char* kExplanationName = "verbena.explanation";
inline constexpr int kExplanationVersion = 1;

/// The file of --config, read once, since a pipe cannot be read again.
struct ConfigFile {
  std::string name;
  std::string text;
};

/// Reads a file, or a pipe, see read_file_or_pipe. Throws ConfigurationError that names it.
ConfigFile open_config(const std::string& name);

/// The operation of bench or explain of which `file` holds results; empty when it holds none.
std::string operation_of_results(const ConfigFile& file);

/// The assignments of a TOML file, such as
///
///     nodes = 4
///     duration = "2ms"
///     [nic]                       # a section of overrides ...
///     name = "connectx-4"         # ... in which `name` is the setting of the section's name
///     qp_cache_entries = 2048     # nic.qp_cache_entries
///
/// or those of the results of an earlier run, which so is repeated. `line` tells the command that
/// they are for. Throws ConfigurationError, naming the file, and of TOML line and column, when it
/// is neither, is of another command, or has a value of a type that no setting has.
std::vector<Assignment> read_config(const ConfigFile& file, const CommandLine& line);

}  // namespace verbena::experiments
