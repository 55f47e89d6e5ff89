// The registry, bound to commands with their defaults.
#include "experiments/config/commands/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>

#include "experiments/config/keys/fabric_keys.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

template <std::size_t... Row>
AnyCommand made(std::size_t row, std::index_sequence<Row...>) {
  AnyCommand command;
  ((row == Row ? static_cast<void>(command.emplace<Row>()) : static_cast<void>(0)), ...);
  return command;
}

// Bound to `command`, which stays where it is.
Keys default_keys(CommandOptions& command) {
  command.load();
  command.set_defaults();
  return command.keys();
}

void add_missing(std::vector<std::string>& names, const std::vector<std::string>& others) {
  for (const std::string& name : others) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

// Tells one key from several where several owners have keys of one name.
enum class SameNames { kOneKey, kOneKeyForEachMeaning };

// Adds the keys of `run` that `all` does not have, and to the others who has them too.
void add_keys(Keys& all, RunCommand& run, SameNames names) {
  for (Key& key : default_keys(run)) {
    const auto same = std::ranges::find_if(all, [&](const Key& known) {
      return known.name() == key.name() &&
             (names == SameNames::kOneKey || known.parameter.help == key.parameter.help);
    });
    if (same == all.end()) {
      all.push_back(std::move(key));
      continue;
    }
    add_missing(same->workloads, key.workloads);
    add_missing(same->systems, key.systems);
  }
}

// With the parameters of every workload and every system. `runs` never moves its elements.
Keys keys_of_runs(std::deque<RunCommand>& runs, SameNames names) {
  Keys all;
  for (const std::string& name : workloads::workload_names()) {
    runs.emplace_back().workload = name;
    add_keys(all, runs.back(), names);
  }
  for (const std::string& name : txn::system_names()) {
    runs.emplace_back().system = name;
    add_keys(all, runs.back(), names);
  }
  return all;
}

// Commands with their defaults, and the keys that are bound to them.
struct Defaults {
  std::deque<RunCommand> runs;
  std::deque<AnyCommand> others;
  std::map<Command, Keys> keys;

  Defaults() {
    for (const CommandRow& row : command_table()) {
      keys[row.command] =
          row.command == Command::kRun
              ? keys_of_runs(runs, SameNames::kOneKey)
              : default_keys(options_of(others.emplace_back(make_command(row.command))));
    }
  }
  Defaults(const Defaults&) = delete;
  Defaults& operator=(const Defaults&) = delete;
};

// Adds to the keys of run what the other commands have besides.
Keys with_other_commands(Keys once) {
  for (const Settings settings : {Settings::kOwn, Settings::kOfOthers, Settings::kNone}) {
    for (const CommandRow& row : command_table()) {
      if (row.settings != settings) continue;
      for (const Key& key : known_keys(row.command)) {
        const bool known = std::any_of(once.begin(), once.end(), [&](const Key& other) {
          return other.name() == key.name() && other.owner == key.owner;
        });
        if (!known) once.push_back(key);
      }
    }
  }
  return once;
}

}  // namespace

void ListCommand::check(const Said& /*said*/) {
  if (names.empty() || record.operation == "keys") return;
  throw ConfigurationError(fmt::format("unexpected argument '{}' of list {}; only keys takes words",
                                       printable(names.front()), record.operation));
}

Keys DoctorCommand::keys() {
  Keys all;
  add(all, "this process", device_parameters(fabric), FabricKind::kVerbs);
  return all;
}

AnyCommand make_command(Command command) {
  return made(static_cast<std::size_t>(command),
              std::make_index_sequence<std::variant_size_v<AnyCommand>>());
}

const Keys& known_keys(Command command) {
  static const Defaults defaults;
  return defaults.keys.at(command);
}

const Keys& known_keys() {
  static const Keys all = with_other_commands(known_keys(Command::kRun));
  return all;
}

const Keys& explained_keys() {
  static std::deque<RunCommand> runs;
  static const Keys all = with_other_commands(keys_of_runs(runs, SameNames::kOneKeyForEachMeaning));
  return all;
}

}  // namespace verbena::experiments
