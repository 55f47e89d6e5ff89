// Closed loops of one operation over the layer rdma/.
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

/// The nodes of one bench. Every fiber of a client's workers runs the operation's loop
/// (bench_fibers.h): each request goes to a random place in the memory of a random server, not to
/// its own node unless that is the only server. The constructor sets up memory and connections;
/// `run` may be called once.
class BenchLoops {
 public:
  /// Throws ConfigurationError when the payload is larger than a message can be.
  BenchLoops(rdma::Fabric& fabric, const rdma::EndpointOptions& endpoint_options,
             const BenchOptions& options);
  ~BenchLoops();

  /// Runs until warm-up and duration have passed on every core. Stores the current time in
  /// `position`.
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
