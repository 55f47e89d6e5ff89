// The simulated cluster: its nodes, and what they share.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rdma/seam/fabric.h"
#include "simnic/engine/stack_arena.h"
#include "simnic/engine/windows.h"
#include "simnic/nic/machine.h"
#include "simnic/nic/nic.h"
#include "simnic/nic/node.h"
#include "simnic/nic/packet_pool.h"
#include "simnic/nic/sim_options.h"
#include "simnic/observe/observer.h"
#include "simnic/profile/profile.h"
#include "simnic/wire/topology.h"

namespace verbena::simnic {

/// The model's heart: nodes with their NICs, and their time, which only moves inside `advance`. All
/// is called by one thread, which may let others handle nodes' events meanwhile.
class Cluster final {
 public:
  explicit Cluster(const SimOptions& options);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Sets the network. Must be called once, before anything is sent. Not owned.
  void set_topology(Topology& topology);
  /// Asks the topology again for each way that a message takes from now on.
  void forget_ways();

  const FabricProfile& fabric() const { return fabric_; }
  const Machine& machine(NodeId node) const { return nodes_[node]->machine(); }
  const SimOptions& options() const { return options_; }
  /// Returns the observer; null when there is none.
  Observer* observer() const { return options_.observer; }

  // --- Cores and time (cluster_time.cc).

  /// Time that has passed on all nodes.
  Picoseconds now() const { return windows_.now(); }
  /// Shortest time from what a node does until another one notices; 0: there is none, or nodes have
  /// more than that in common.
  Picoseconds look_ahead() const;
  /// Handles events by time on one thread from now on, for cores' code that shares data between
  /// nodes.
  void keep_order() { by_time_ = true; }
  /// Calls `look(now)` between windows from now on, and when all cores have finished, with the
  /// latest of their clocks.
  void look_between(std::function<void(Picoseconds now)> look) { look_ = std::move(look); }
  /// Gives every task a core; they run from the next `advance` on.
  void start(std::vector<rdma::CoreTask> tasks);
  /// Lets time pass as Windows::advance says.
  Windows::Progress advance(Picoseconds limit, bool may_end);
  std::exception_ptr take_exception() { return windows_.take_exception(); }
  /// Unwinds the cores that have not finished and forgets all.
  void stop();
  /// Returns bounds as rdma::Fabric::thread_bounds does.
  std::vector<rdma::ThreadBound> thread_bounds() const { return window_times_.bounds(); }
  /// Returns a digest of what happened on all nodes so far.
  std::uint64_t trace_digest() const;

  // --- Use of stations and cores so far (station_use.cc).

  rdma::FabricUse use() const;
  /// Returns the place of a station of `use`.
  std::string place_of(const rdma::StationUse& station) const;
  std::optional<NodeId> node_of(const rdma::StationUse& station) const;

  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  Node& node(NodeId number) { return *nodes_[number]; }
  Nic& nic(std::uint32_t number) { return *nics_[number]; }
  const std::vector<Nic*>& nics() const { return nics_; }

  /// Fills the NICs' caches with existing memory and queue pairs, in an order that `seed` draws, as
  /// if all of them had been used alike for long (warm_caches.cc).
  void fill_caches(std::uint64_t seed);

 private:
  std::vector<const Machine*> set_up_machines();
  std::vector<WindowNode*> set_up_nodes();
  void set_windows();
  Picoseconds latest_clock() const;
  void between(Picoseconds now);
  void announce_death(const Node& node, Picoseconds late);

  SimOptions options_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<std::uint32_t> cores_of_;  ///< by node
  FabricProfile fabric_{};
  PacketStore packets_;
  std::vector<std::unique_ptr<ThreadPackets>> threads_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Nic*> nics_;
  Topology* topology_ = nullptr;
  std::unique_ptr<StackArena> stacks_;
  bool by_time_ = false;
  std::function<void(Picoseconds)> look_;
  WindowTimes window_times_;
  Windows windows_;
};

}  // namespace verbena::simnic
