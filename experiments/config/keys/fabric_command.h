// The cluster and the fabric that a command measures, and its output files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/keys/command.h"
#include "rdma/base/time.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/seam/page_arena.h"
#include "simnic/profile/profile.h"
#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// Number of machines, and the use of each.
struct ClusterOptions {
  std::uint32_t nodes = 16;
  std::uint32_t coroutines = 8;    ///< fibers of a worker
  rdma::EndpointOptions endpoint;  ///< of each node: workers, NICs, queue pairs, ...
  std::uint64_t seed = 1;
  std::optional<Nanoseconds> warmup;    ///< nothing: the run finds it, see workloads::RunWindow
  std::optional<Nanoseconds> duration;  ///< nothing: the run finds it, see workloads::RunWindow
};

/// The fabric that carries the requests.
struct FabricOptions {
  bool simulated = true;

  std::string nic = "connectx-4";
  std::string cpu = "e5-2650v4";
  std::string other_nodes;  ///< "3", "12-15": nodes on other machines than the rest; empty: none
  std::string other_nic;    ///< NIC of `other_nodes`; empty: `nic`
  std::string other_cpu;    ///< CPU of `other_nodes`; empty: `cpu`
  std::string switches;     ///< profile of links and switches; empty: the one that the NIC names
  std::string topology = "star";
  std::string platform;  ///< file of a platform; empty: `topology` applies
  bool chaos = false;
  /// Threads of this machine that simulate; nothing: as many as suit it.
  std::optional<std::uint32_t> sim_threads;
  bool speed_up = false;      ///< tells what more threads would bring
  simnic::Options constants;  ///< constants that differ from the profiles

  std::uint32_t node = 0;
  std::string peers;   ///< "host:port,..."; empty: this process hosts all nodes
  std::string device;  ///< empty: the first active one
  std::optional<std::uint32_t> port;
  std::optional<std::uint32_t> gid_index;

  /// "sim" or "verbs".
  const char* name() const { return simulated ? "sim" : "verbs"; }

  /// `peers`, split at commas.
  std::vector<std::string> peer_list() const;

  /// The device choice of the user, repeated for each of `nics` NICs; empty fields are left open.
  std::vector<rdma::DeviceChoice> device_choices(std::uint32_t nics) const;
};

/// Names of output files.
struct OutputOptions {
  std::string json;       ///< empty: none
  std::string history;    ///< what transactions read and wrote; empty: none
  std::string reached;    ///< points of the code that the run reached; empty: none
  std::string trace;      ///< a timeline; empty: none
  bool progress = false;  ///< shown as lines even without a terminal
  std::uint64_t trace_limit = 100'000;
  Nanoseconds trace_from = 0;
};

/// Warm-up before a window of fixed length, on the simulation.
inline constexpr Nanoseconds kUsualWarmup = 500 * kMicrosecond;

/// Greatest number of machines of a cluster.
inline constexpr std::uint32_t kMostNodes = 1024;

/// Options that run, bench and explain have in common.
struct FabricCommand : CommandOptions {
  ClusterOptions cluster;
  FabricOptions fabric;
  OutputOptions output;
  /// Memory of simulated nodes, see simnic::SimOptions.
  rdma::PageArena* page_arena = nullptr;
  /// Share of this machine's memory for one of several runs at once; 0: there is no other.
  std::uint64_t memory_share_bytes = 0;
  /// Place to store progress; null: it is shown, as `output` says.
  workloads::RunProgress* progress = nullptr;
  /// Set once the command itself tells its peers of an error that ends it; null: unused.
  bool* met_peers = nullptr;

  bool is_simulated() const override { return fabric.simulated; }
  void derive(const Said& said) override;

 protected:
  /// Sets the DrTM+H paper's cluster or, on hardware, one of `hardware_nodes` machines.
  void set_cluster_defaults(std::uint32_t hardware_nodes);

  void complete_endpoint();
};

}  // namespace verbena::experiments
