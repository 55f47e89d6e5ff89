// One or several.
#include "experiments/report/death_text.h"

#include <fmt/format.h>

namespace verbena::experiments {

std::string nodes_text(std::span<const NodeId> nodes) {
  return fmt::format("node{} {}", nodes.size() == 1 ? "" : "s", fmt::join(nodes, ", "));
}

std::string died_text(std::span<const NodeId> nodes) {
  return nodes_text(nodes) + (nodes.size() == 1 ? " has died" : " have died");
}

}  // namespace verbena::experiments
