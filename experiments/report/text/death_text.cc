// One or several.
#include "experiments/report/text/death_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace verbena::experiments {

std::string nodes_text(std::span<const NodeId> nodes) {
  return fmt::format("node{} {}", nodes.size() == 1 ? "" : "s", fmt::join(nodes, ", "));
}

std::string died_text(std::span<const NodeId> nodes) {
  return nodes_text(nodes) + (nodes.size() == 1 ? " has died" : " have died");
}

std::string killed_text(std::span<const Killed> killed, const txn::System& system,
                        const txn::ClusterShape& shape) {
  if (killed.empty()) return "";
  const txn::View view = system.place(shape);
  std::string text;
  bool holds_alone = !system.info().replicates;
  for (const Killed& one : killed) {
    const bool serves = view.role(one.node) == txn::Role::kMemory;
    holds_alone &= serves;
    text += fmt::format("{}node {}{} was killed at '{}' ({})", text.empty() ? "" : " and ",
                        std::uint16_t{one.node}, serves ? ", a server," : "", one.point, one.key);
  }
  return fmt::format("{}; {} {}: ", text, system.info().name,
                     holds_alone ? "has no replica of what it held" : "does not go on without it");
}

}  // namespace verbena::experiments
