// From what was said in several places to the options of one command.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/keys/command_options.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {

/// Assignments of a command line. Later layers win over earlier ones.
struct CommandLine {
  Command command = Command::kRun;
  std::string operation;           ///< of bench and explain; of list the topic
  std::vector<std::string> names;  ///< of reproduce the figures, of compare the sides
  std::vector<Assignment> config;  ///< of --config
  std::vector<Assignment> flags;
  std::vector<Assignment>
      sets;  ///< of --set; of reproduce and compare they are for what is measured
};

/// Error of one assignment. `what()` is one line that begins with where it was said.
class PlacedError : public ConfigurationError {
 public:
  using ConfigurationError::ConfigurationError;
};

/// The command, with all of its options: defaults, then the layers. Throws ConfigurationError, in
/// one line, for names that are unknown, values that are not allowed, keys that do not apply to the
/// command or fabric, and combinations that cannot work; it is a PlacedError where the fault lies
/// in one place, and a ConflictError for values that do not go together. `run --verify` with
/// nothing else is a short hunt.
AnyCommand resolve(const CommandLine& line);

}  // namespace verbena::experiments
