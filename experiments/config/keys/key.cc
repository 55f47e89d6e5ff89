// The registry, bound to commands with their defaults.
#include "experiments/config/keys/key.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

#include "experiments/config/keys/defaults.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

// Bound to `command`, which stays where it is.
template <typename AnyOf>
Keys default_keys(AnyOf& command) {
  set_defaults(command);
  return keys(command);
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
  load_owners(run);
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
  BenchCommand bench;
  ExplainCommand explain;
  HuntCommand hunt;
  ReproduceCommand reproduce;
  CompareCommand compare;
  DoctorCommand doctor;
  std::map<Command, Keys> keys;

  Defaults() {
    keys[Command::kRun] = keys_of_runs(runs, SameNames::kOneKey);
    keys[Command::kBench] = default_keys(bench);
    keys[Command::kCompare] = default_keys(compare);
    keys[Command::kExplain] = default_keys(explain);
    keys[Command::kHunt] = default_keys(hunt);
    keys[Command::kReproduce] = default_keys(reproduce);
    keys[Command::kDoctor] = default_keys(doctor);
    keys[Command::kList] = {};
  }
  Defaults(const Defaults&) = delete;
  Defaults& operator=(const Defaults&) = delete;
};

// Adds to the keys of run what the other commands have besides.
Keys with_other_commands(Keys once) {
  for (const Command each : {Command::kBench, Command::kExplain, Command::kHunt,
                             Command::kReproduce, Command::kCompare, Command::kDoctor}) {
    for (const Key& key : known_keys(each)) {
      const bool known = std::any_of(once.begin(), once.end(), [&](const Key& other) {
        return other.name() == key.name() && other.owner == key.owner;
      });
      if (!known) once.push_back(key);
    }
  }
  return once;
}

}  // namespace

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

bool may_differ(const Key& key) {
  constexpr std::array<std::string_view, 2> kOwners = {"this process", "output"};
  constexpr std::array<std::string_view, 2> kDirectories = {"nam.checkpoints", "nam.restore"};
  return std::ranges::find(kOwners, key.owner) != kOwners.end() ||
         std::ranges::find(kDirectories, key.name()) != kDirectories.end() ||
         key.name().starts_with("faults.");
}

const Key* find_key(const Keys& keys, std::string_view name) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name() == name; });
  return found == keys.end() ? nullptr : &*found;
}

const std::vector<std::string>& explain_operations() {
  static const std::vector<std::string> operations = {
      "read",      "write",         "send",        "cas",      "faa",      "rpc",
      "write-rpc", "indirect-read", "prism-write", "allocate", "prism-cas"};
  return operations;
}

}  // namespace verbena::experiments
