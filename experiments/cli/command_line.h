// The program's command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// What the arguments ask for: either a text to be printed (help, version) or a command.
struct ParsedArguments {
  std::optional<std::string> text;
  CommandLine line;
};

/// Reads the arguments, without the program's name, and the file that --config names. Throws
/// ConfigurationError, in one line, for what is no command, flag or argument of the program (naming
/// the nearest), for a flag without its value and for one that is there twice.
ParsedArguments parse_arguments(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
