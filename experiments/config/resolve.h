// From what was said in several places to the options of one command.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/commands/registry.h"
#include "experiments/config/configure.h"

namespace verbena::experiments {

/// Assignments of a command line. Later layers win over earlier ones.
struct CommandLine {
  Command command = Command::kRun;
  std::string operation;           ///< of list the topic
  std::vector<std::string> names;  ///< see CommandOptions
  std::vector<Assignment> config;  ///< of --config
  std::vector<Assignment> flags;
  std::vector<Assignment> sets;  ///< of --set, see Settings
};

/// The command, with all of its options: defaults, then the layers. Throws ConfigurationError, in
/// one line, for names that are unknown, values that are not allowed, keys that do not apply to the
/// command or fabric, and combinations that cannot work; it is a PlacedError where the fault lies
/// in one place, and a ConflictError for values that do not go together. `run --verify` with
/// nothing else is a short hunt.
AnyCommand resolve(const CommandLine& line);

}  // namespace verbena::experiments
