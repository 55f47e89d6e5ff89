// Closed loops of one operation over the rdma layer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "experiments/bench/bench_options.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/seam/fabric.h"
#include "workloads/run/resources/nic_interval.h"

namespace verbena::rdma {
class Endpoint;
class ChainServer;
}  // namespace verbena::rdma

namespace verbena::experiments {

class BenchWorker;

/// The nodes of one bench. Every fiber of every client's workers chooses a random server for each
/// request (another node where there is one) and a random place in its memory; what it posts and
/// waits for is the operation's (bench_fibers.h). Sets up memory and connections in
/// its constructor; `run` may be called once.
class BenchLoops {
 public:
  /// Throws ConfigurationError when the payload is larger than a message can be.
  BenchLoops(rdma::Fabric& fabric, const rdma::EndpointOptions& endpoint_options,
             const BenchOptions& options);
  ~BenchLoops();

  /// Runs until warm-up and duration have passed on every core. `position` follows the time.
  BenchResult run(std::atomic<std::int64_t>& position);

 private:
  rdma::EndpointOptions adapted(const rdma::EndpointOptions& endpoint_options) const;
  void add_region(rdma::Endpoint& endpoint) const;
  void prepare(rdma::Endpoint& endpoint, WorkerId id);

  rdma::Fabric& fabric_;
  BenchOptions options_;
  workloads::NicInterval nics_;
  std::vector<std::unique_ptr<rdma::Endpoint>> endpoints_;
  std::vector<std::unique_ptr<rdma::ChainServer>> chain_servers_;  // of the nodes that serve
  std::vector<std::unique_ptr<BenchWorker>> workers_;
};

}  // namespace verbena::experiments
