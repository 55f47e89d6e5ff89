// The registry of commands and of keys: all that users may say.
#pragma once

#include <variant>

#include "experiments/config/commands/bench.h"
#include "experiments/config/commands/compare.h"
#include "experiments/config/commands/explain.h"
#include "experiments/config/commands/hunt.h"
#include "experiments/config/commands/reproduce.h"
#include "experiments/config/commands/run.h"

namespace verbena::experiments {

/// It has no options: the topic is its operation.
struct ListCommand : CommandOptions {};

/// It looks at real devices without being told to.
struct DoctorCommand : CommandOptions {
  FabricOptions fabric;

  Keys keys() override;
  bool is_simulated() const override { return false; }
  void set_defaults() override { fabric.simulated = false; }
};

/// In the order of command_table().
using AnyCommand = std::variant<RunCommand, BenchCommand, HuntCommand, ReproduceCommand,
                                CompareCommand, ExplainCommand, ListCommand, DoctorCommand>;

/// The command of the row, as it is before it is configured.
AnyCommand make_command(Command command);

inline CommandOptions& options_of(AnyCommand& command) {
  return std::visit([](CommandOptions& own) -> CommandOptions& { return own; }, command);
}

/// The keys of a command, bound to one with all its defaults on the simulation, for names and help;
/// of run with the parameters of all systems and workloads of the program.
const Keys& known_keys(Command command);

/// Keys of all commands, each once; one that two commands give to different owners, as payload, is
/// there for each.
const Keys& known_keys();

/// The same for readers: a name that workloads or systems give different meanings, as they do
/// workload.read_percent, is there for each meaning, with those that have it so.
const Keys& explained_keys();

}  // namespace verbena::experiments
