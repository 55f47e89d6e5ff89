// How the workers of all nodes agree that a run is over.
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

/// A worker that has nothing left to do must not leave while a peer may still ask it for something.
/// The last worker of a node to become quiet writes a number into a flag at every node that its
/// node is connected with, with one-sided requests, since a message that says "leave" could not
/// itself be acknowledged. It then watches its own node's flags until all those nodes that are not
/// dead have written theirs. Where all are connected with all this is once in a phase; else as
/// often as ClusterLinks::rounds says, so that nobody goes on before nodes with which it is not
/// connected are quiet, too. Then it releases the node's workers.
///
/// Where nodes may die and others finish what these leave behind, all agree on who is dead, too:
/// they begin anew with each death that they are told of, once they have done their part of it.
/// Then nobody goes on while some node could still die in the midst of that, and find no successor.
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

  /// On a fiber of the last worker: tells the others, waits for them, releases the node. Throws
  /// PeerMissing, naming them, when nodes do not finish within drain_timeout, and what
  /// Connections::check_peer throws when one does not answer: the first that has not finished is
  /// asked for a sign of life every second. With EndpointOptions::background, others have five
  /// seconds to declare it dead instead. `on_deaths`: all nodes agree on who is dead, and that
  /// nobody holds; each has to be told of each death.
  void agree(Worker& worker, bool on_deaths);

  /// The node has to finish something, because of a death that it knows of, before a phase may end
  /// in which deaths are agreed on; until it calls release as often.
  void hold() { holds_.fetch_add(1, std::memory_order_acq_rel); }
  void release() { holds_.fetch_sub(1, std::memory_order_acq_rel); }

  /// True if the phase that began `phase`-th is over.
  bool is_over(std::uint64_t phase) const {
    return finished_phases_.load(std::memory_order_acquire) >= phase;
  }
  std::uint64_t phase(WorkerId worker) const { return phases_[worker]; }

 private:
  /// Progress of a node, as its flag tells it.
  struct Step {
    std::uint64_t round = 0;   ///< counted through all phases
    std::uint64_t deaths = 0;  ///< that it knows of, where they are agreed on

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
