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
#include "rdma/fibers/fiber_scheduler.h"
#include "rdma/seam/core.h"

namespace verbena::rdma {

class Endpoint;
class Requester;
class Rpc;
class WorkerMemory;
struct DeviceContext;
struct PortSelection;
struct WorkerVerbs;

/// What a worker counted since it was created; the NIC's own counters come from the fabric.
struct WorkerCounters {
  std::uint64_t reads = 0, writes = 0, atomics = 0;  ///< one-sided requests posted
  std::uint64_t passive_writes = 0;                  ///< of the writes, those that nobody waits for
  std::uint64_t post_calls = 0;                      ///< doorbells of one-sided requests
  std::uint64_t signaled = 0;
  std::uint64_t send_queue_waits = 0;          ///< a fiber waited for room
  std::uint64_t calls = 0, notifications = 0;  ///< RPCs started, without those to the own node
  std::uint64_t datagrams = 0, datagram_post_calls = 0, datagrams_received = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t duplicates = 0;  ///< datagrams that had been received before
  std::uint64_t foreign = 0;     ///< datagrams dropped as malformed, stale or not for this worker
  std::uint64_t shortages = 0;   ///< requests dropped for want of a reply buffer
  std::uint64_t explicit_acks = 0;  ///< messages sent only to acknowledge
  std::uint64_t fiber_switches = 0, turns = 0;

  WorkerCounters& operator+=(const WorkerCounters& other);
};

/// A worker runs an event loop that resumes fibers when their requests complete, serves its peers'
/// RPCs, and polls (DrTM+H paper, sections 3.2 and 4.1). Worker w of a node talks to worker w of
/// every node, its own node included.
///
/// Not thread-safe: after set-up everything is called on the thread that is in run(), that is, from
/// fibers, RPC handlers and the loop.
class Worker {
 public:
  /// Uses `device`, opened on `port`, which is NIC `nic` of the node. For Endpoint.
  Worker(Endpoint& endpoint, WorkerId id, std::shared_ptr<DeviceContext> device,
         const PortSelection& port, std::uint32_t nic);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  NodeId node() const { return node_; }
  WorkerId id() const { return id_; }
  Endpoint& endpoint() { return endpoint_; }

  /// The core that runs this worker; only during run().
  Core& core() { return *core_; }

  /// The core's local time; only during run().
  Nanoseconds now() const { return core_->now(); }

  /// When the current turn of the event loop began, on the core's clock. Whatever the code of this
  /// turn does to memory takes effect later.
  Nanoseconds turn_began() const { return turn_began_; }

  /// Starts a fiber: before run(), or during it from a fiber. The body must not swallow exceptions
  /// that it does not know (`catch (...)` has to rethrow): the unwinding of a fiber that is still
  /// suspended when its worker is destroyed is one.
  void spawn(std::function<void()> body) { fibers_.spawn(std::move(body)); }

  /// The event loop. Returns when all fibers have returned, everything that they posted has been
  /// acknowledged (passive requests and notifications too), and the same holds for all workers of
  /// all nodes; until then it serves peers. May be called again, for another phase, after spawning
  /// again; all workers of all nodes must take part in each phase. Rethrows an exception that left
  /// a fiber; the worker is then of no further use.
  void run(Core& core);

  /// Yields the calling fiber until someone calls make_ready for it.
  void suspend() { fibers_.suspend(); }

  /// Lets other fibers and the event loop have a turn.
  void yield();

  /// The same, if this turn has taken its time (EndpointOptions::turn_time): for code that computes
  /// long, between its steps.
  void give_way();

  /// Suspends the calling fiber until `deadline` (a point in time).
  void sleep_until(Nanoseconds deadline);

  /// The calling fiber, to be handed to make_ready by whoever wakes it.
  FiberId current_fiber() const { return fibers_.current(); }

  /// The calling fiber will look at [first, first + bytes) each time that it is resumed: a hint to
  /// have it in the processor's caches by then. At most two ranges; more are ignored.
  void expect(const void* first, std::size_t bytes) { fibers_.expect(first, bytes); }

  /// Puts a suspended fiber of this worker into the ready queue.
  void make_ready(FiberId fiber) { fibers_.make_ready(fiber); }

  /// Registered local memory, 64 B aligned and zero, for the worker's life: targets of reads and
  /// atomics, sources of writes. Throws ConfigurationError when scratch_bytes is used up.
  std::span<std::byte> allocate_scratch(std::size_t bytes);

  Rpc& rpc() { return *rpc_; }

  WorkerCounters counters() const;

  /// For RequestBatch, Rpc and Endpoint.
  FiberScheduler& fibers() { return fibers_; }
  Requester& requester() { return *requester_; }
  WorkerVerbs& verbs() { return *verbs_; }
  WorkerMemory& memory() { return *memory_; }
  /// Polls for send completions on the calling fiber when it is the worker's only one, which saves
  /// two switches where the device is fast or completes requests while they are posted. At most
  /// kLooks times between two turns of the event loop, which has peers to serve.
  void look_if_alone();

 private:
  static constexpr std::uint32_t kLooks = 16;

  void turn();
  Nanoseconds turn_ends() const;
  template <typename Condition>
  void loop_until(Condition&& condition);
  bool poll_sends();
  bool quiet();
  void drain();

  Endpoint& endpoint_;
  NodeId node_;
  WorkerId id_;
  Core* core_ = nullptr;
  std::unique_ptr<WorkerMemory> memory_;
  std::unique_ptr<WorkerVerbs> verbs_;
  std::unique_ptr<Requester> requester_;
  std::unique_ptr<Rpc> rpc_;
  FiberScheduler fibers_;
  std::uint32_t dead_epoch_ = 0;
  std::uint64_t turns_ = 0;
  Nanoseconds turn_began_ = 0;
  std::uint32_t looks_ = 0;  // since the last turn
  bool flushed_ = false;     // nothing of this phase will stay without a completion
  bool failed_ = false;
};

}  // namespace verbena::rdma
