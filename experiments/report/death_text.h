// Nodes that have died, in words.
#pragma once

#include <span>
#include <string>

#include "rdma/base/types.h"

namespace verbena::experiments {

/// "node 3", or "nodes 1, 2".
std::string nodes_text(std::span<const NodeId> nodes);

/// "node 3 has died", or "nodes 1, 2 have died".
std::string died_text(std::span<const NodeId> nodes);

}  // namespace verbena::experiments
