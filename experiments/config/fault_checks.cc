// Checks of faults.*, one after another.
#include "experiments/config/fault_checks.h"

#include <fmt/format.h>

#include <string>
#include <variant>

#include "experiments/config/keys/defaults.h"
#include "experiments/config/keys/refusal.h"

namespace verbena::experiments {
namespace {

// Refuses settings of a death that nothing brings about: they would be passed over.
void check_crash(const RunCommand& command, const Said& said, const CrashOptions& crash,
                 const std::string& name) {
  const std::string at = fmt::format("faults.{}_at", name);
  for (const char* other : {"node", "count"}) {
    const std::string key = fmt::format("faults.{}_{}", name, other);
    if (crash.point.empty() && said.contains(key)) refuse(command, key.c_str(), "needs " + at);
  }
  if (!crash.point.empty() && crash.node >= command.cluster.nodes) {
    refuse(command, fmt::format("faults.{}_node", name).c_str(),
           fmt::format("expected a whole number from 0 to {}", command.cluster.nodes - 1));
  }
}

// Nodes that have finished would end the run before others know who is dead.
void check_drain(const RunCommand& command) {
  if (command.crash.point.empty() && command.fabric.simulated) return;
  const Nanoseconds patience = command.cluster.endpoint.drain_timeout;
  RunCommand copy = command;
  const Keys all = keys(copy);
  for (const Key& key : all) {
    if (!key.name().ends_with(".suspect_after")) continue;
    const Nanoseconds suspected = *std::get<Nanoseconds*>(key.parameter.target);
    if (patience > suspected) continue;
    throw ConflictError(
        {"rdma.drain_timeout", key.name()},
        fmt::format("rdma.drain_timeout {} is not above {} {}: nodes that have "
                    "finished would give up before it is known who is dead",
                    format_duration(patience), key.name(), format_duration(suspected)));
  }
}

}  // namespace

void check_faults(const RunCommand& command, const Said& said) {
  check_crash(command, said, command.crash, "kill");
  check_crash(command, said, command.second_crash, "second");
  if (command.crash.point.empty() && said.contains("faults.kill_late")) {
    refuse(command, "faults.kill_late", "needs faults.kill_at");
  }
  if (command.crash.late > 0 && !command.fabric.chaos) {
    refuse(command, "faults.kill_late", "needs --chaos");
  }
  if (!command.second_crash.point.empty()) {
    if (command.crash.point.empty()) refuse(command, "faults.second_at", "needs faults.kill_at");
    if (command.crash.node == command.second_crash.node) {
      refuse(command, "faults.second_node", "is faults.kill_node, too");
    }
  }
  check_drain(command);
  if (!command.restores) return;
  if (!command.fabric.simulated) refuse(command, "faults.restore", "needs --fabric sim");
  if (!can_restore(command)) {
    refuse(command, "faults.restore", fmt::format("system '{}' saves nothing", command.system));
  }
  for (const char* own : {"nam.checkpoints", "nam.restore"}) {
    if (said.contains(own)) refuse(command, own, "is set by faults.restore");
  }
}

}  // namespace verbena::experiments
