// From what was said in several places to the options of one command.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/options.h"

namespace verbena::experiments {

/// One thing that was said.
struct Assignment {
  std::string key;  ///< a setting's name, or SECTION.KEY
  std::string value;
  std::string place;  ///< where, for messages: "--nodes", "cluster.toml:3:9: nodes"
};

/// What a command line says. Later layers win over earlier ones.
struct CommandLine {
  Command command = Command::kRun;
  std::string operation;
  std::vector<std::string> figures;  ///< of reproduce
  std::vector<Assignment> config;    ///< of --config
  std::vector<Assignment> flags;
  std::vector<Assignment> sets;  ///< of --set
};

/// The options: defaults, then the layers. Throws ConfigurationError, in one line, for names that
/// are unknown, values that are not allowed, settings that do not apply to the command or fabric,
/// and combinations that cannot work.
Options resolve(const CommandLine& line);

/// The arguments that give the same options again, without the program's name. Only what differs
/// from the defaults is spelled out.
std::vector<std::string> replay_arguments(const Options& options);

/// A command line that gives the same options again, beginning with "verbena". Only what differs
/// from the defaults is spelled out.
std::string replay_command(const Options& options);

}  // namespace verbena::experiments
