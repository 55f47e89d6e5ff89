// Drain: the agreement of the workers of all nodes that a run is over.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/memory/region.h"
#include "rdma/seam/core.h"

namespace verbena::rdma {

class Endpoint;
class Worker;

/// Keeps a worker from leaving while a peer may still ask it for something. The last worker of a
/// node to become quiet writes a number into a flag at every connected node. It uses one-sided
/// requests, since a message that says "leave" could not itself be acknowledged. It then watches
/// its own node's flags until all connected nodes that are not dead have written theirs, and
/// releases the node's workers. Where all nodes are connected with each other this happens once in
/// a phase; else ClusterLinks::rounds times, so that nobody goes on before nodes without a
/// connection to it are quiet, too.
///
/// Where nodes may die and others finish their work, all nodes agree on the dead ones, too. They
/// begin anew with each death that they are told of, once they have done their part of the work. So
/// nobody goes on while some node could still die in the midst of it and find no successor.
///
/// One per node; all workers of the node may call all members at the same time.
class Drain {
 public:
  /// `control` holds a flag of 8 B per node.
  Drain(Endpoint& endpoint, Region& control);

  /// Tells that `worker` has begun a phase on `core`.
  void begin(WorkerId worker, Core& core);

  /// Tells that a worker is quiet. Returns true for the last one of the node, which must then run
  /// `agree`.
  bool arrive();

  /// Tells the other nodes, waits for them, and releases the node; on a fiber of the last worker.
  /// Asks the first unfinished node for a sign of life every second. Throws PeerMissing, naming
  /// them, when nodes do not finish within drain_timeout, and throws as Connections::check_peer
  /// does when a node does not answer. With EndpointOptions::background, others have five seconds
  /// to declare that node dead instead. `on_deaths`: all nodes agree on the dead ones too, and that
  /// nobody holds; each has to be told of each death.
  void agree(Worker& worker, bool on_deaths);

  /// Keeps phases in which deaths are agreed on from ending, since the node has to finish something
  /// after a death; until release() has been called as often.
  void hold() { holds_.fetch_add(1, std::memory_order_acq_rel); }
  void release() { holds_.fetch_sub(1, std::memory_order_acq_rel); }

  /// True if the `phase`-th phase, from 1, is over.
  bool is_over(std::uint64_t phase) const {
    return finished_phases_.load(std::memory_order_acquire) >= phase;
  }
  std::uint64_t phase(WorkerId worker) const { return phases_[worker]; }

 private:
  /// Progress of a node, as read from its flag.
  struct Step {
    std::uint64_t round = 0;   ///< counted through all phases
    std::uint64_t deaths = 0;  ///< known deaths, where they are agreed on

    static Step of(std::uint64_t flag) { return {flag & kRounds, flag / (kRounds + 1)}; }
    std::uint64_t flag() const { return round | deaths * (kRounds + 1); }

   private:
    static constexpr std::uint64_t kRounds = (std::uint64_t{1} << 48) - 1;
  };

  bool has_reached(NodeId node, Step step);
  std::uint64_t deaths() const;
  std::uint64_t settled_deaths(Worker& worker);
  void announce(Worker& worker, Step step);
  bool await(Worker& worker, Step step, bool on_deaths, Nanoseconds begin);
  void probe(Worker& worker, std::size_t place, Step step);
  void check(Worker& worker, NodeId peer, Nanoseconds& gone_since) const;
  std::string unfinished(Step step);

  Endpoint& endpoint_;
  Region& control_;
  std::vector<std::uint64_t> phases_;  // [worker]
  std::vector<Core*> cores_;           // [worker]
  std::atomic<std::uint32_t> quiet_{0};
  std::atomic<std::uint32_t> holds_{0};
  std::atomic<std::uint64_t> finished_phases_{0};
};

}  // namespace verbena::rdma
