// `verbena list`: names and keys that the other commands take.
#include <fmt/format.h>

#include <utility>

#include "experiments/cli/commands.h"
#include "experiments/config/catalog.h"
#include "experiments/config/setting.h"
#include "experiments/config/tuning.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/system_tables.h"
#include "simnic/topology_spec.h"

namespace verbena::experiments {
namespace {

void print_names(const char* title, const std::vector<std::string>& names) {
  fmt::print("{:<12}{}\n", title, fmt::join(names, "  "));
}

void print_keys() {
  for (const OverrideKey& key : override_keys()) {
    fmt::print("  {:<36} {}{}{}{}\n", key.key, key.allowed,
               key.initial.empty() ? "" : fmt::format(" ({})", key.initial),
               key.simulated_only ? " [sim]" : "",
               key.workloads.empty() ? "" : fmt::format(" [{}]", fmt::join(key.workloads, ", ")));
  }
}

}  // namespace

int list_command(const Options& options) {
  if (options.operation == "systems") {
    fmt::print("{}", systems_table());
    return kSuccess;
  }
  if (options.operation == "plans") {
    fmt::print("{}", plans_table());
    return kSuccess;
  }
  if (options.operation == "keys") {
    print_keys();
    return kSuccess;
  }
  print_names("systems", system_names());
  print_names("workloads", workload_names());
  print_names("operations", bench_operations());
  print_names("nics", nic_names());
  print_names("cpus", cpu_names());
  print_names("topologies", simnic::topology_kinds());
  for (const auto& [title, setting] :
       {std::pair{"contexts", "context"}, {"loops", "loop"}, {"transports", "transport"}}) {
    print_names(title, find_setting(setting)->choices);
  }
  fmt::print(
      "\noverride keys, as in --set KEY=VALUE; [sim]: of the simulated hardware, [NAME]: of that "
      "workload\n");
  print_keys();
  return kSuccess;
}

}  // namespace verbena::experiments
