// `verbena list`: names and keys that the other commands take.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "experiments/cli/commands.h"
#include "experiments/config/key.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/system_tables.h"
#include "simnic/topology_spec.h"

namespace verbena::experiments {
namespace {

void print_names(const char* title, const std::vector<std::string>& names) {
  fmt::print("{:<12}{}\n", title, fmt::join(names, "  "));
}

std::string described(const Key& key) {
  const Parameter& parameter = key.parameter;
  const std::string initial = value_text(parameter);
  return fmt::format("{} ({}{})", parameter.help, allowed_values(parameter),
                     initial.empty() ? "" : "; otherwise " + initial);
}

void print_keys() {
  std::string owner;
  for (const Key& key : known_keys()) {
    if (key.is_flag()) continue;
    std::string of = key.owner;
    if (!key.workloads.empty()) of += fmt::format(" {}", fmt::join(key.workloads, " and "));
    if (key.fabric == FabricKind::kSim) of += " [sim]";
    if (of != owner) fmt::print("\n{}:\n", of);
    owner = of;
    fmt::print("  {:<33} {}\n", key.name(), described(key));
  }
}

void print_choices(const char* title, Command command, const char* key) {
  print_names(title, find_key(known_keys(command), key)->parameter.choices);
}

void print_all() {
  print_choices("systems", Command::kRun, "system");
  print_choices("workloads", Command::kRun, "workload");
  print_names("operations", operation_names());
  print_choices("nics", Command::kRun, "nic");
  print_choices("cpus", Command::kRun, "cpu");
  print_names("topologies", simnic::topology_kinds());
  print_choices("contexts", Command::kRun, "context");
  print_choices("loops", Command::kBench, "loop");
  print_choices("transports", Command::kBench, "transport");
  fmt::print(
      "\nkeys that are no flags, as in --set KEY=VALUE; [sim]: they mean something to the "
      "simulation only\n");
  print_keys();
}

}  // namespace

int execute(const ListCommand& command) {
  if (command.topic == "systems") {
    fmt::print("{}", systems_table());
  } else if (command.topic == "plans") {
    fmt::print("{}", plans_table());
  } else if (command.topic == "keys") {
    print_keys();
  } else {
    print_all();
  }
  return kSuccess;
}

}  // namespace verbena::experiments
