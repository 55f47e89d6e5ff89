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

/// Bound on the speed-up of a simulation by a number of threads.
struct ThreadBound {
  unsigned threads = 1;
  double speed_up = 1;
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

  /// True if time is simulated: all tasks begin at once by one clock, runs repeat, and
  /// `look_between` works. Tasks of one node then run one at a time; those of different nodes may
  /// run at once, unless `keep_order` was called.
  virtual bool has_one_clock() const { return false; }

  /// Lets all tasks of a simulation run one at a time, in the order of its time: for those that
  /// have more in common than the fabric and what is thread-safe, or change its links. Before
  /// `run`.
  virtual void keep_order() {}

  /// Calls `look` during the next simulated `run`, after each window of at most a microsecond in
  /// which something happened, while no task runs. `now` is the time up to which everything has
  /// happened on all nodes; at the run's end, the latest time of a task's clock.
  virtual void look_between([[maybe_unused]] std::function<void(Nanoseconds now)> look) {}

  /// Arena for memory that is used in units, and for the mappings of regions and workers' memory;
  /// null where NICs know addresses only.
  virtual PageArena* page_arena() { return nullptr; }

  /// Returns a number of its own for each call, by the tasks of `node`: greater than all that it
  /// has returned there, and than those of other nodes whose effects have arrived there.
  virtual std::uint64_t moment(NodeId node) = 0;
  /// Returns a number that is not greater than any that `moment` will return in this run, where
  /// `look_between` has told of `now`.
  virtual std::uint64_t moment_at([[maybe_unused]] Nanoseconds now) const { return 0; }

  /// Counters of the NICs of `node` since the start, by name ("verbs.read", "doorbells",
  /// "pcie_bytes", "qp_cache_misses", "ud_drops", "retries", ...), in alphabetical order. Empty
  /// where the hardware does not tell.
  virtual std::map<std::string, std::uint64_t> counters(NodeId node) = 0;

  /// Use of stations and cores so far. During a simulation, only where `look_between` looks.
  virtual FabricUse use() const { return {}; }

  /// Returns the place of a station of `use`: "node 3, NIC 0, unit 5", or the name of a link.
  virtual std::string place_of(const StationUse& /*station*/) const { return {}; }

  /// Returns the node of a station of `use`; none if it lies between nodes.
  virtual std::optional<NodeId> node_of(const StationUse& /*station*/) const { return {}; }

  /// Returns bounds on how much faster more threads would simulate; empty unless these were asked
  /// for when the simulation was made.
  virtual std::vector<ThreadBound> thread_bounds() const { return {}; }

  /// Digest over the trace of everything that happened so far; 0 where runs are not repeatable.
  virtual std::uint64_t trace_digest() const = 0;
};

}  // namespace verbena::rdma
