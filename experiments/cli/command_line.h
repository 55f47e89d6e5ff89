// The program's command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// Meaning of the arguments: a text to print (help, version) or a command to execute.
struct ParsedArguments {
  std::optional<std::string> text;
  CommandLine line;
};

/// A command that only prints a text.
struct TextCommand {
  std::string name;
  std::string help;
  std::vector<std::string> topics;  ///< one of these follows; empty: none may
  std::string without_topic;        ///< meaning of no topic; empty: there has to be one
  std::function<std::string(const std::string& topic)> text;
};

const std::vector<TextCommand>& text_commands();

/// Reads the arguments, without the program's name, and the file that --config names. Throws
/// ConfigurationError, in one line, for an unknown command, flag or argument (naming the nearest),
/// for a flag without its value and for a flag that is given twice.
ParsedArguments parse_arguments(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
