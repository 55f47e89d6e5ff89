// The file that --config names.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// Name of every document of results, in its member `schema`. docs/reference/documents.md tells
/// when the version grows.
inline constexpr const char* kSchemaName = "verbena.results";
inline constexpr int kSchemaVersion = 2;
inline constexpr const char* kExplanationName = "verbena.explanation";
inline constexpr int kExplanationVersion = 1;

/// The file of --config. It is read only once, since a pipe cannot be read again, and parsed only
/// once.
struct ConfigFile {
  std::string name;
  std::string toml;                        ///< its text, unless it is JSON
  std::optional<nlohmann::json> document;  ///< what it holds, if it is JSON
};

/// Reads a file or a pipe, see read_file_or_pipe, and parses JSON. Throws ConfigurationError that
/// names it.
ConfigFile open_config(const std::string& name);

/// Returns the operation of bench or explain whose results `file` holds; empty when it holds none.
std::string operation_of_results(const ConfigFile& file);

/// Reads the assignments of a TOML file, such as
///
///     nodes = 4
///     duration = "2ms"
///     [nic]                       # a section of overrides ...
///     name = "connectx-4"         # ... in which `name` is the setting of the section's name
///     qp_cache_entries = 2048     # nic.qp_cache_entries
///
/// or those of the results of an earlier run, to repeat it. `line` tells the command that they are
/// for. Throws ConfigurationError when the file is neither, belongs to another command, or has a
/// value of a type that no setting has. It names the file and, for TOML, line and column.
std::vector<Assignment> read_config(const ConfigFile& file, const CommandLine& line);

}  // namespace verbena::experiments
