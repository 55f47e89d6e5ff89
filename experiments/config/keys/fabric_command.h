// The cluster and the fabric that a command measures on, and the files that it writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/keys/command.h"
#include "rdma/base/time.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/seam/page_arena.h"
#include "simnic/profile.h"
#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// How many machines, and how each is used.
struct ClusterOptions {
  std::uint32_t nodes = 16;
  std::uint32_t coroutines = 8;    ///< of a worker: fibers, in the words of the layers below
  rdma::EndpointOptions endpoint;  ///< of a node: workers, NICs, queue pairs, ...
  std::uint64_t seed = 1;
  std::optional<Nanoseconds> warmup;    ///< nothing: found out, see workloads::RunWindow
  std::optional<Nanoseconds> duration;  ///< likewise
};

/// The fabric that carries the requests.
struct FabricOptions {
  bool simulated = true;

  std::string nic = "connectx-4";
  std::string cpu = "e5-2650v4";
  std::string other_nodes;  ///< "3", "12-15": are other machines than the rest; empty: none is
  std::string other_nic;    ///< of these; empty: `nic`
  std::string other_cpu;    ///< likewise
  std::string switches;  ///< profile of the network's links and switches; empty: the NIC names it
  std::string topology = "star";
  std::string platform;  ///< file; empty: `topology`
  bool chaos = false;
  simnic::Options constants;  ///< that differ from those of the profiles

  std::uint32_t node = 0;
  std::string peers;   ///< "host:port,..."; empty: this process hosts all nodes
  std::string device;  ///< empty: the first active one
  std::optional<std::uint32_t> port;
  std::optional<std::uint32_t> gid_index;

  /// "sim" or "verbs".
  const char* name() const { return simulated ? "sim" : "verbs"; }

  /// `peers`, split at commas.
  std::vector<std::string> peer_list() const;

  /// The device that was asked for, once for each of `nics`; empty where that is left open.
  std::vector<rdma::DeviceChoice> device_choices(std::uint32_t nics) const;
};

/// Files to write.
struct OutputOptions {
  std::string json;       ///< empty: none
  std::string history;    ///< what transactions read and wrote; empty: none
  std::string reached;    ///< points of the code that the run came to; empty: none
  std::string trace;      ///< a timeline; empty: none
  bool progress = false;  ///< told by lines even where nobody watches a terminal
  std::uint64_t trace_limit = 100'000;
  Nanoseconds trace_from = 0;
};

/// Before a window of fixed length, on the simulation.
inline constexpr Nanoseconds kUsualWarmup = 500 * kMicrosecond;

/// Greatest number of machines of a cluster.
inline constexpr std::uint32_t kMostNodes = 1024;

/// Options that run, bench and explain have in common.
struct FabricCommand : CommandOptions {
  ClusterOptions cluster;
  FabricOptions fabric;
  OutputOptions output;
  /// For the memory of simulated nodes, see simnic::SimOptions.
  rdma::PageArena* page_arena = nullptr;
  /// Where it is told how far it is; null: shown, as `output` asks for.
  workloads::RunProgress* progress = nullptr;
  /// Set once it agrees with its peers, and tells them if it ends; null: nobody asks.
  bool* met_peers = nullptr;

  bool is_simulated() const override { return fabric.simulated; }
  void derive(const Said& said) override;

 protected:
  /// Makes it the DrTM+H paper's cluster, or a small one of real machines.
  void set_cluster_defaults(std::uint32_t hardware_nodes);

  void complete_endpoint();
};

}  // namespace verbena::experiments
