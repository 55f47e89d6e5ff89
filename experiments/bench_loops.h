// Closed loops of one operation over the rdma layer.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rdma/endpoint_options.h"
#include "rdma/request_batch.h"
#include "rdma/seam/fabric.h"
#include "txn/histogram.h"
#include "workloads/nic_interval.h"

namespace verbena::rdma {
class Endpoint;
class Worker;
}  // namespace verbena::rdma

namespace verbena::experiments {

enum class Operation : std::uint8_t { kRead, kWrite, kSend, kRpc, kCompareAndSwap, kFetchAndAdd };

/// The operation that the command line calls `name`, one of bench_operations().
Operation operation_of(const std::string& name);

/// What the loops do. Every fiber of every client's workers chooses a random peer for each request
/// (another node where there is one) and a random place in its memory, posts `window` requests,
/// waits for all, and begins again.
struct BenchOptions {
  Operation operation = Operation::kRead;
  std::uint32_t payload_bytes = 64;
  std::uint32_t window = 1;
  std::uint32_t fibers = 1;   ///< per worker
  std::uint32_t clients = 1;  ///< nodes 0 to clients - 1 post requests
  rdma::Doorbell doorbell = rdma::Doorbell::kEach;
  rdma::Nanoseconds warm_up = 0;
  rdma::Nanoseconds duration = rdma::kMillisecond;
  std::uint64_t seed = 1;
  /// Threads of nodes that only answer one-sided requests, which their NICs do alone, sleep instead
  /// of polling, as perftest's servers do. For hardware only.
  bool servers_sleep = false;
};

/// What the loops of the hosted nodes did.
struct BenchResult {
  std::uint64_t completed = 0;  ///< operations that ended in the measured time
  std::uint64_t total = 0;      ///< all of them
  /// From the post to the end of the wait that covers the request. For kSend: from the post to the
  /// arrival, and only where this process hosts all nodes, since clocks of two hosts differ.
  txn::Histogram latency;
  /// By name, in the measured time: of the hosted workers, and of their nodes' NICs (see
  /// workloads::NicInterval).
  std::map<std::string, std::uint64_t> counters;
  std::map<std::string, std::uint64_t> nic_counters;
  std::map<std::string, std::uint64_t> total_nic_counters;  ///< since the start of the fabric
  rdma::Nanoseconds end = 0;  ///< the latest core's clock, from the start of the run
};

/// The nodes of one bench. Sets up memory and connections in its constructor; `run` may be called
/// once.
class BenchLoops {
 public:
  /// Throws ConfigurationError when the payload is larger than a message can be.
  BenchLoops(rdma::Fabric& fabric, const rdma::EndpointOptions& endpoint_options,
             const BenchOptions& options);
  ~BenchLoops();

  /// Runs until warm-up and duration have passed on every core. `position` follows the time.
  BenchResult run(std::atomic<std::int64_t>& position);

 private:
  struct WorkerState;

  void prepare(rdma::Endpoint& endpoint, rdma::WorkerId id);
  static void sleeping_fiber(const WorkerState& state);
  void one_sided_fiber(WorkerState& state);
  void rpc_fiber(WorkerState& state);
  void send_fiber(WorkerState& state);
  rdma::NodeId random_peer(WorkerState& state, std::uint64_t random) const;
  void observe(WorkerState& state);
  void record(WorkerState& state, rdma::Nanoseconds started, rdma::Nanoseconds ended,
              std::uint32_t operations) const;

  rdma::Fabric& fabric_;
  BenchOptions options_;
  workloads::NicInterval nics_;
  bool hosts_all_nodes_;
  std::vector<std::unique_ptr<rdma::Endpoint>> endpoints_;
  std::vector<std::unique_ptr<WorkerState>> workers_;
  std::atomic<std::int64_t>* position_ = nullptr;
};

}  // namespace verbena::experiments
