// Nodes that have died, in words.
#pragma once

#include <span>
#include <string>

#include "rdma/base/types.h"
#include "txn/system.h"

namespace verbena::experiments {

/// "node 3", or "nodes 1, 2".
std::string nodes_text(std::span<const NodeId> nodes);

/// "node 3 has died", or "nodes 1, 2 have died".
std::string died_text(std::span<const NodeId> nodes);

/// A node that was killed at `point`, as `key` asked for.
struct Killed {
  NodeId node = 0;
  std::string key;
  std::string point;
};

/// A prefix for the error that ended a run of `system`: which nodes were killed, and why the others
/// cannot go on without them; "node 0, a server, was killed at 'kv: put sent' (faults.kill_at);
/// pilaf has no replica of what it held: ". Empty without `killed`.
std::string killed_text(std::span<const Killed> killed, const txn::System& system,
                        const txn::ClusterShape& shape);

}  // namespace verbena::experiments
