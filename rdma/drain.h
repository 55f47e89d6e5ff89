// How the workers of all nodes agree that a run is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/memory/region.h"
#include "rdma/seam/core.h"

namespace verbena::rdma {

class Endpoint;
class Worker;

/// A worker that has nothing left to do must not leave while a peer may still ask it for something.
/// The last worker of a node to become quiet writes the number of the phase into a flag at every
/// node, with one-sided requests, since a message that says "leave" could not itself be
/// acknowledged. It then watches its own node's flags until all nodes that are not dead have
/// written theirs, and releases the node's workers.
///
/// One per node; all members may be called by all workers of the node at the same time.
class Drain {
 public:
  /// `control` holds a flag of 8 B per node.
  Drain(Endpoint& endpoint, Region& control);

  /// `worker` has begun a phase on `core`.
  void begin(WorkerId worker, Core& core);

  /// The worker is quiet. True for the last one of the node, which must then run `agree`.
  bool arrive();

  /// On a fiber of the last worker: tells all nodes, waits for all nodes, releases the node. Throws
  /// PeerMissing, naming them, when nodes do not finish within drain_timeout, and what
  /// Connections::check_peer throws when one cannot be told.
  void agree(Worker& worker);

  /// Whether the phase that began `phase`-th is over.
  bool is_over(std::uint64_t phase) const {
    return finished_phases_.load(std::memory_order_acquire) >= phase;
  }
  std::uint64_t phase(WorkerId worker) const { return phases_[worker]; }

 private:
  void announce(Worker& worker, std::uint64_t phase);
  std::string unfinished(std::uint64_t phase);

  Endpoint& endpoint_;
  Region& control_;
  NodeId nodes_;
  std::vector<std::uint64_t> phases_;  // [worker]
  std::vector<Core*> cores_;           // [worker]
  std::atomic<std::uint32_t> quiet_{0};
  std::atomic<std::uint64_t> finished_phases_{0};
};

}  // namespace verbena::rdma
