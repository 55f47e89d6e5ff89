// The shape of a simulated cluster, and how it is run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/page_arena.h"
#include "simnic/profile/profile.h"

namespace verbena::simnic {

class LoadedPlatform;
class Observer;

/// Nodes [first, first + count) of a cluster, which differ from its others.
struct OtherNodes {
  NodeId first = 0;
  std::uint32_t count = 1;
  std::uint32_t cores = 0;       ///< 0: as many as the others
  std::string nic_profile = {};  ///< empty: what the others have
  std::string cpu_profile = {};  ///< likewise
};

/// The shape of a simulated cluster.
struct SimOptions {
  std::uint32_t nodes = 2;
  std::uint32_t cores_per_node = 1;        ///< most tasks that run on one node
  std::uint32_t nics_per_node = 1;         ///< devices "sim0", "sim1", ... of each node
  std::string nic_profile = "connectx-4";  ///< a built-in name, or the path of a TOML file
  std::string cpu_profile = "e5-2650v4";   ///< likewise
  std::vector<OtherNodes> other_nodes;     ///< later ones win
  std::string fabric_profile;              ///< a name or path, likewise; empty: the one that the
                                           ///< NIC's profile names
  /// The network between the NICs, as topology_spec.h reads it: its links and switches have the
  /// fabric profile's constants.
  std::string topology = "star";
  /// Path of a platform file of SimGrid's in XML, with a host for each node; it replaces `topology`
  /// unless it is empty.
  std::string platform;
  /// The platform file, if it is loaded already; null: it is loaded now. Not owned.
  LoadedPlatform* loaded_platform = nullptr;
  std::uint64_t seed = 1;        ///< every random choice derives from it
  Options overrides;             ///< constants that differ from the profiles
  Observer* observer = nullptr;  ///< learns what happens; not owned
  /// Threads that handle events of different nodes at once, where nothing but packets connects
  /// these: in a star, without an observer. Results do not depend on them.
  unsigned threads = 1;
  /// Measures on one thread, for rdma::Fabric::thread_bounds.
  bool times_windows = false;
  bool chaos = false;  ///< show interleavings that the fast mode merges
  /// Arena for the memory of nodes, shared with other simulations of this process; null: its own.
  rdma::PageArena* page_arena = nullptr;
};

}  // namespace verbena::simnic
