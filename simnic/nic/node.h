// A simulated node: its time, its NICs, and the parts that handle their events.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rdma/seam/fabric.h"
#include "simnic/engine/timeline.h"
#include "simnic/engine/windows.h"
#include "simnic/nic/answers.h"
#include "simnic/nic/chain_executor.h"
#include "simnic/nic/completions.h"
#include "simnic/nic/machine.h"
#include "simnic/nic/nic.h"
#include "simnic/nic/objects.h"
#include "simnic/nic/observation.h"
#include "simnic/nic/packet_pool.h"
#include "simnic/nic/queue_pairs.h"
#include "simnic/nic/request_pool.h"
#include "simnic/nic/requester.h"
#include "simnic/nic/responder.h"
#include "simnic/nic/sim_options.h"
#include "simnic/nic/stations.h"
#include "simnic/nic/ways.h"

namespace verbena::simnic {

/// Owns all that changes while it handles its events; other nodes get packets. One thread at a
/// time.
class Node final : public WindowNode, private CoreHost {
 public:
  /// Objects that all nodes of a cluster use; each outlives them.
  struct Surroundings {
    const SimOptions& options;
    const FabricProfile& fabric;
    PacketStore& packets;
    const std::vector<Nic*>& nics;  ///< by number in the cluster
    /// By thread, for those of a crew; the first is for all that happens outside of a run, too.
    const std::vector<std::unique_ptr<ThreadPackets>>& threads;
  };

  Node(const Surroundings& surroundings, NodeId number, const Machine& machine);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const Machine& machine() const { return machine_; }
  /// Adds a NIC, which has `number` in the cluster.
  Nic& add_nic(std::uint32_t number);
  /// Sets the network, once all NICs of the cluster are there.
  void set_topology(Topology& topology);

  // WindowNode.
  Timeline& timeline() override { return time_; }
  void run_until(Picoseconds end, unsigned thread) override;
  void step() override;

  Picoseconds now() const { return time_.now(); }
  /// Forgets all cores, which have ended.
  void forget_cores();

  // Death of nodes.
  /// Returns how late packets of this node may come, once after it has died; see rdma::CrashPoint.
  std::optional<Picoseconds> take_death() { return std::exchange(death_, std::nullopt); }
  /// Tells that a node has died whose packets may come so late.
  void node_died(Picoseconds late) { responder_.expect_strays(late); }

  /// Returns the NIC of the cluster with this LID; null: there is none.
  Nic* find_nic(std::uint16_t lid) const {
    const std::size_t place = lid - std::size_t{1};
    return place < surroundings_.nics.size() ? surroundings_.nics[place] : nullptr;
  }
  Nic* find_nic(const ibv_gid& gid) const;

  // Parts for the control and data paths of verbs, and for the cluster.
  Observation& observation() { return observation_; }
  Ways& ways() { return ways_; }
  RequestPool& requests() { return requests_; }
  QueuePairs& queue_pairs() { return queue_pairs_; }
  Completions& completions() { return completions_; }
  Requester& requester() { return requester_; }
  void schedule(Picoseconds time, EventKind kind, const Request& request) {
    time_.schedule(time, kind, request.number, request.generation);
  }

 private:
  EventContext context();
  void crash(Picoseconds late) override;
  void watch(const ibv_mr& memory, SimCore& core) override;
  void handle(const TimedEvent& event);
  void handle_request(const TimedEvent& event);
  // Inlined by force: GCC 12 drops calls of functions that only prefetch, as without effect.
  [[gnu::always_inline]] inline void prefetch();
  [[gnu::always_inline]] inline void prefetch_referred(const TimedEvent* event);

  Surroundings surroundings_;
  const Machine& machine_;
  Timeline time_;
  Observation observation_;
  Ways ways_;
  PacketPool packets_;
  RequestPool requests_;
  Stations stations_;
  Completions completions_;
  QueuePairs queue_pairs_;
  Requester requester_;
  Answers answers_;
  ChainExecutor chains_;
  Responder responder_;
  std::vector<std::unique_ptr<Nic>> nics_;
  std::optional<Picoseconds> death_;
};

}  // namespace verbena::simnic
