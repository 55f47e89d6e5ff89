// The registry, bound to commands with their defaults.
#include "experiments/config/key.h"

#include <algorithm>
#include <map>
#include <utility>

#include "experiments/config/defaults.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

// Bound to `command`, which stays where it is.
template <typename AnyOf>
Keys default_keys(AnyOf& command) {
  set_defaults(command);
  return keys(command);
}

// With the parameters of every workload.
Keys keys_of_runs(std::map<std::string, RunCommand>& runs) {
  Keys all;
  for (const std::string& name : workloads::workload_names()) {
    RunCommand& run = runs[name];
    run.workload = name;
    load_owners(run);
    for (Key& key : default_keys(run)) {
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const Key& known) { return known.name() == key.name(); });
      if (same == all.end()) {
        all.push_back(std::move(key));
      } else if (!key.workloads.empty()) {
        same->workloads.push_back(name);
      }
    }
  }
  return all;
}

// Commands with their defaults, and the keys that are bound to them.
struct Defaults {
  std::map<std::string, RunCommand> runs;
  BenchCommand bench;
  ExplainCommand explain;
  ReproduceCommand reproduce;
  DoctorCommand doctor;
  std::map<Command, Keys> keys;

  Defaults() {
    keys[Command::kRun] = keys_of_runs(runs);
    keys[Command::kBench] = default_keys(bench);
    keys[Command::kExplain] = default_keys(explain);
    keys[Command::kReproduce] = default_keys(reproduce);
    keys[Command::kDoctor] = default_keys(doctor);
    keys[Command::kList] = {};
  }
  Defaults(const Defaults&) = delete;
  Defaults& operator=(const Defaults&) = delete;
};

}  // namespace

const Keys& known_keys(Command command) {
  static const Defaults defaults;
  return defaults.keys.at(command);
}

const Keys& known_keys() {
  static const Keys all = [] {
    Keys once;
    for (const Command each : {Command::kRun, Command::kBench, Command::kExplain,
                               Command::kReproduce, Command::kDoctor}) {
      for (const Key& key : known_keys(each)) {
        if (find_key(once, key.name()) == nullptr) once.push_back(key);
      }
    }
    return once;
  }();
  return all;
}

const Key* find_key(const Keys& keys, std::string_view name) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name() == name; });
  return found == keys.end() ? nullptr : &*found;
}

const std::vector<std::string>& explain_operations() {
  static const std::vector<std::string> operations = {"read", "write", "send", "cas", "faa"};
  return operations;
}

}  // namespace verbena::experiments
