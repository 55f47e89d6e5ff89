// The simulated cluster: its NICs, and the handling of their events.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rdma/seam/fabric.h"
#include "simnic/engine/timeline.h"
#include "simnic/nic/answers.h"
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
#include "simnic/observe/observer.h"
#include "simnic/profile/profile.h"

namespace verbena::simnic {

/// The model's heart: nodes, their NICs, and the parts that handle the events of these. One thread;
/// time only moves inside `advance`.
class Cluster final : private CoreHost {
 public:
  explicit Cluster(const SimOptions& options);
  ~Cluster() override;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Sets the network. Must be called once, before anything is sent. Not owned.
  void set_topology(Topology* topology) { ways_.set_topology(topology, nics_.size()); }
  Ways& ways() { return ways_; }

  // --- Cores and time (cluster.cc).

  /// Time and cores of the cluster.
  Timeline& timeline() { return time_; }
  const Timeline& timeline() const { return time_; }
  Picoseconds now() const { return time_.now(); }
  const FabricProfile& fabric() const { return fabric_; }
  const Machine& machine(NodeId node) const { return *machine_of_[node]; }
  bool chaos() const { return options_.chaos; }
  const SimOptions& options() const { return options_; }
  /// Returns the observer; null when there is none.
  Observer* observer() const { return observation_.observer(); }
  Observation& observation() { return observation_; }

  /// Gives every task a core; they run from the next `advance` on.
  void start(std::vector<rdma::CoreTask> tasks);
  /// Handles events as Timeline::advance says.
  Timeline::Progress advance(Picoseconds limit, bool may_end);
  /// Unwinds the cores that have not finished and forgets all.
  void stop();

  // --- Use of stations and cores so far (station_use.cc).

  rdma::FabricUse use() const;
  /// Returns the place of a station of `use`.
  std::string place_of(const rdma::StationUse& station) const;
  std::optional<NodeId> node_of(const rdma::StationUse& station) const;

  Nic& nic(std::uint32_t number) { return *nics_[number]; }
  const std::vector<std::unique_ptr<Nic>>& nics() const { return nics_; }
  /// Returns the NIC with this LID; null: there is none.
  Nic* find_nic(std::uint16_t lid) const {
    const std::size_t number = lid - std::size_t{1};
    return number < nics_.size() ? nics_[number].get() : nullptr;
  }
  Nic* find_nic(const ibv_gid& gid) const;

  /// Fills the NICs' caches with existing memory and queue pairs, in an order that `seed` draws, as
  /// if all of them had been used alike for long (warm_caches.cc).
  void fill_caches(std::uint64_t seed);

  // --- Parts for the control and data paths of verbs.

  RequestPool& requests() { return requests_; }
  QueuePairs& queue_pairs() { return queue_pairs_; }
  Completions& completions() { return completions_; }
  Requester& requester() { return requester_; }
  void schedule(Picoseconds time, EventKind kind, const Request& request) {
    time_.schedule(time, kind, request.number, request.generation);
  }

 private:
  EventContext context();
  void set_up_nodes();
  /// Lets `node` die at once: its cores never run again, its NICs neither send nor answer, and what
  /// they have sent arrives. In chaos mode as rdma::CrashPoint says.
  void crash(NodeId node, Picoseconds late) override;
  void watch(const ibv_mr& memory, SimCore& core) override;
  void handle(const TimedEvent& event);
  void prefetch();
  void prefetch_referred(const TimedEvent* event);
  void handle_request(const TimedEvent& event);

  SimOptions options_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<const Machine*> machine_of_;  ///< by node
  std::vector<std::uint32_t> cores_of_;     ///< by node
  FabricProfile fabric_{};
  Timeline time_;
  Observation observation_;
  Ways ways_;
  std::vector<std::unique_ptr<Nic>> nics_;

  RequestPool requests_;
  PacketPool packets_;
  Stations stations_;
  Completions completions_;
  QueuePairs queue_pairs_;
  Requester requester_;
  Answers answers_;
  Responder responder_;
};

}  // namespace verbena::simnic
