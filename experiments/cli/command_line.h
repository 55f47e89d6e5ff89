// The program's command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// The wish of the arguments: either a text to be printed (help, version) or a command.
struct ParsedArguments {
  std::optional<std::string> text;
  CommandLine line;
};

/// A command that only prints a text.
struct TextCommand {
  std::string name;
  std::string help;
  std::vector<std::string> topics;  ///< of which one has to follow; empty: nothing does
  std::function<std::string(const std::string& topic)> text;
};

const std::vector<TextCommand>& text_commands();

/// Reads the arguments, without the program's name, and the file that --config names. Throws
/// ConfigurationError, in one line, for what is no command, flag or argument of the program (naming
/// the nearest), for a flag without its value and for one that is there twice.
ParsedArguments parse_arguments(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
