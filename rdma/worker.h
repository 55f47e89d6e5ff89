// One thread of a node: its fibers, its verbs context with completion queues and queue pairs, and
// its RPC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "rdma/device/worker_counters.h"
#include "rdma/fibers/worker_thread.h"
#include "rdma/seam/core.h"

namespace verbena::rdma {

class Connections;
class Endpoint;
class PeerHealth;
class Rpc;
class NicPath;
class SoftwarePath;
class WorkerMemory;
struct DeviceContext;
struct PortSelection;
struct WorkerVerbs;

/// A worker runs an event loop that resumes fibers when their requests complete, serves its peers'
/// RPCs, and polls (DrTM+H paper, sections 3.2 and 4.1). ClusterLinks names the workers that it
/// talks to: where all nodes are alike, that of its own number of every node, its own node
/// included.
///
/// Not thread-safe: after set-up everything is called on the thread that is in run(), that is, from
/// fibers, RPC handlers and the loop.
class Worker {
 public:
  /// Uses `device`, opened on `port`, which is NIC `nic` of the node. For Endpoint, which owns
  /// `health`.
  Worker(Endpoint& endpoint, const PeerHealth& health, WorkerId id,
         std::shared_ptr<DeviceContext> device, const PortSelection& port, std::uint32_t nic);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  NodeId node() const { return thread_.node(); }
  WorkerId id() const { return thread_.id(); }
  Endpoint& endpoint() { return endpoint_; }

  /// The core that runs this worker; only during run().
  Core& core() { return thread_.core(); }

  /// The core's local time; only during run().
  Nanoseconds now() const { return thread_.core().now(); }

  /// Time at which the current turn of the event loop began, on the core's clock. Changes of memory
  /// by this turn's code take effect later.
  Nanoseconds turn_began() const { return turn_began_; }

  /// Starts a fiber: before run(), or during it from a fiber. The body must rethrow exceptions that
  /// it does not know (`catch (...)`): one of them unwinds a fiber that is still suspended when its
  /// worker is destroyed.
  void spawn(std::function<void()> body) { thread_.fibers().spawn(std::move(body)); }

  /// Starts a fiber whose work other fibers of any node may still need (a collector, a mover of
  /// versions): before run(), on an endpoint with EndpointOptions::background. It has to check
  /// over() now and then, since nobody wakes it, and to return soon once that is true.
  void spawn_background(std::function<void()> body);

  /// True when all fibers of all nodes, but for background ones, have returned; those of a failed
  /// node count as returned. Their passive requests and notifications may still be on the way, and
  /// arrive before run() returns.
  bool over() const { return over_; }

  /// Runs the event loop, and serves peers. Returns when all fibers have returned and everything
  /// that they posted has been acknowledged (passive requests and notifications too), here and on
  /// all workers of all nodes to which links lead, directly or through others. May be called again,
  /// for another phase, after spawning again; all workers of all nodes must take part in each
  /// phase. Rethrows an exception that left a fiber; the worker is then of no further use.
  void run(Core& core);

  /// Suspends the calling fiber until make_ready is called for it.
  void suspend() { thread_.suspend(); }

  /// Lets other fibers and the event loop have a turn.
  void yield();

  /// Yields if this turn has taken its time (EndpointOptions::turn_time): for code that computes
  /// long, between its steps.
  void give_way();

  /// Suspends the calling fiber until `deadline` (a point in time).
  void sleep_until(Nanoseconds deadline);

  /// Returns the calling fiber, for make_ready by the code that wakes it.
  FiberId current_fiber() const { return thread_.current_fiber(); }

  /// Hints that the calling fiber reads [first, first + bytes) each time it is resumed, to have it
  /// in the processor's caches by then. At most two ranges; more are ignored.
  void expect(const void* first, std::size_t bytes) { thread_.fibers().expect(first, bytes); }

  /// Puts a suspended fiber of this worker into the ready queue.
  void make_ready(FiberId fiber) { thread_.make_ready(fiber); }

  /// Allocates registered local memory, 64 B aligned and zero, for the worker's life: targets of
  /// reads and atomics, sources of writes. Throws ConfigurationError when scratch_bytes is used up.
  std::span<std::byte> allocate_scratch(std::size_t bytes);

  Rpc& rpc() { return *rpc_; }

  WorkerCounters counters() const;

  /// The queue pairs to the peers, for RequestBatch and for code that posts to them itself.
  Connections& connections() { return *connections_; }

  /// For this layer itself.
  WorkerVerbs& verbs() { return *verbs_; }
  WorkerMemory& memory() { return *memory_; }

 private:
  void turn();
  void go_on_as(FiberId fiber);
  Nanoseconds turn_ends() const;
  template <typename Condition>
  void loop_until(Condition&& condition);
  bool poll_sends();
  bool poll();
  bool quiet();
  void end_foreground(Core& core);
  void drain();

  Endpoint& endpoint_;
  const PeerHealth& health_;
  std::unique_ptr<WorkerMemory> memory_;
  std::unique_ptr<WorkerVerbs> verbs_;
  std::unique_ptr<Connections> connections_;
  std::unique_ptr<Rpc> rpc_;
  std::unique_ptr<NicPath> nic_path_;            // null: chains go as calls
  std::unique_ptr<SoftwarePath> software_path_;  // null: one-sided requests go by NIC
  WorkerThread thread_;  // the last: fibers that are unwound give back what they hold of the others
  std::uint32_t dead_epoch_ = 0;
  std::uint64_t turns_ = 0;
  Nanoseconds turn_began_ = 0;
  std::size_t background_ = 0;  // fibers
  bool over_ = true;
  bool flushed_ = false;  // nothing of this phase will stay without a completion
  bool failed_ = false;
};

}  // namespace verbena::rdma
