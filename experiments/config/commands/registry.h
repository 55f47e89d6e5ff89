// The registry of commands and keys: everything that users may say.
#pragma once

#include <variant>

#include "experiments/config/commands/bench.h"
#include "experiments/config/commands/compare.h"
#include "experiments/config/commands/explain.h"
#include "experiments/config/commands/hunt.h"
#include "experiments/config/commands/reproduce.h"
#include "experiments/config/commands/run.h"

namespace verbena::experiments {

/// Has no options: its topic is the record's operation, and `names` are words to look for.
struct ListCommand : CommandOptions {
  void check(const Said& said) override;
};

/// Looks at real devices only.
struct DoctorCommand : CommandOptions {
  FabricOptions fabric;

  Keys keys() override;
  bool is_simulated() const override { return false; }
  void set_defaults() override { fabric.simulated = false; }
};

/// One of the commands, in the order of command_table().
using AnyCommand = std::variant<RunCommand, BenchCommand, HuntCommand, ReproduceCommand,
                                CompareCommand, ExplainCommand, ListCommand, DoctorCommand>;

/// Makes a command of this kind, not configured yet.
AnyCommand make_command(Command command);

inline CommandOptions& options_of(AnyCommand& command) {
  return std::visit([](CommandOptions& own) -> CommandOptions& { return own; }, command);
}

/// The keys of a command, bound to an instance with defaults on the simulation, for names and help.
/// The keys of run include the parameters of all systems and workloads.
const Keys& known_keys(Command command);

/// The keys of all commands, each once. A key that commands give to different owners, such as
/// payload, is there once for each owner.
const Keys& known_keys();

/// The keys of all commands, for readers. A name with different meanings for different workloads or
/// systems, such as workload.read_percent, is there once for each meaning, with those that give it
/// that meaning.
const Keys& explained_keys();

}  // namespace verbena::experiments
