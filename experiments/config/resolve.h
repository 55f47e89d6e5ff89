// Configures one command from several layers of assignments.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/config/commands/registry.h"
#include "experiments/config/configure.h"

namespace verbena::experiments {

/// A parsed command line. Later layers win over earlier ones.
struct CommandLine {
  Command command = Command::kRun;
  std::string operation;           ///< of list: the topic
  std::vector<std::string> names;  ///< see CommandOptions
  std::vector<Assignment> config;  ///< of --config
  std::vector<Assignment> flags;
  std::vector<Assignment> sets;                   ///< of --set, see Settings
  std::string results = {};                       ///< file that --config names, if it has results
  std::map<std::string, std::string> files = {};  ///< ConfigurationRecord::files of these
};

/// Returns the command with all its options: defaults, then the layers. Throws ConfigurationError,
/// in one line, for unknown names, invalid values, keys that do not apply to the command or fabric,
/// and combinations that cannot work. It is a PlacedError for an error in one place, and a
/// ConflictError for values that do not go together. `run --verify` without other arguments becomes
/// a short hunt.
AnyCommand resolve(const CommandLine& line);

}  // namespace verbena::experiments
