// Fabric of a cluster as a process needs it besides verbs: cores, peers, and observations.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/core.h"
#include "rdma/seam/fabric_use.h"
#include "rdma/seam/page_arena.h"
#include "rdma/seam/rendezvous.h"
#include "rdma/seam/verbs_table.h"

namespace verbena::rdma {

/// A body of code for one core of one node.
struct CoreTask {
  NodeId node;
  WorkerId worker;
  std::function<void(Core&)> body;
};

/// A cluster's fabric, chosen at run time. Set-up (opening devices, creating and connecting queue
/// pairs) happens on the calling thread before `run` and takes no simulated time.
class Fabric {
 public:
  virtual ~Fabric() = default;

  /// Nodes of the whole cluster.
  virtual std::uint32_t nodes() const = 0;

  /// The nodes that this process hosts: all under simulation, usually one on hardware.
  virtual const std::vector<NodeId>& hosted() const = 0;

  /// Control path as code on `node` sees it. `get_device_list` lists the devices of the node that
  /// this thread asked for last. The table stays valid as long as the fabric.
  virtual const VerbsTable& verbs(NodeId node) = 0;

  virtual Rendezvous& rendezvous() = 0;

  /// Fills the NICs' caches as long use would have, with memory and queue pairs that exist by now;
  /// `seed` draws them. Before `run`; does nothing on hardware.
  virtual void begin_warm([[maybe_unused]] std::uint64_t seed) {}

  /// Runs each task on a core of its own (a thread pinned where possible, or an actor) and returns
  /// when all have returned. An exception that leaves a task ends the run and is rethrown here. May
  /// be called again.
  virtual void run(std::vector<CoreTask> tasks) = 0;

  /// True if one thread runs all tasks, one step after the other.
  virtual bool runs_on_one_thread() const { return false; }

  /// Arena for memory that is used in units, and for the mappings of regions and workers' memory;
  /// null where NICs know addresses only.
  virtual PageArena* page_arena() { return nullptr; }

  /// Counters of the NICs of `node` since the start, by name ("verbs.read", "doorbells",
  /// "pcie_bytes", "qp_cache_misses", "ud_drops", "retries", ...), in alphabetical order. Empty
  /// where the hardware does not tell.
  virtual std::map<std::string, std::uint64_t> counters(NodeId node) = 0;

  /// Use of stations and cores so far; called while the tasks run, too, on the thread of one.
  virtual FabricUse use() const { return {}; }

  /// Returns the place of a station of `use`: "node 3, NIC 0, unit 5", or the name of a link.
  virtual std::string place_of(const StationUse& /*station*/) const { return {}; }

  /// Returns the node of a station of `use`; none if it lies between nodes.
  virtual std::optional<NodeId> node_of(const StationUse& /*station*/) const { return {}; }

  /// Digest over the trace of everything that happened so far; 0 where runs are not repeatable.
  virtual std::uint64_t trace_digest() const = 0;
};

}  // namespace verbena::rdma
