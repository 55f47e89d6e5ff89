// Loops that post and poll by themselves, without fibers: what a NIC and its driver can do.
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
}  // namespace verbena::rdma

namespace verbena::experiments {

class PostingThread;
struct PostingGroup;

/// As the rc-swarm loop of rdma_bench (ATC'16) and the tests of SMART (ASPLOS'24) have it: each
/// thread of each client keeps `window` signaled one-sided requests in flight, each to a random
/// queue pair of a random server, and posts another when one completes. With Doorbell::kBatched
/// what is free is posted as one chain to one random queue pair.
///
/// `threads_per_queue_pair` threads of a node share queue pairs, completion queue and context: any
/// of them may poll what another has posted; a completion names its owner. Sets up memory and
/// connections in its constructor; `run` may be called once.
class PostingLoops {
 public:
  /// Throws ConfigurationError when NICs or queues do not suffice.
  PostingLoops(rdma::Fabric& fabric, const rdma::EndpointOptions& endpoint_options,
               const BenchOptions& options);
  ~PostingLoops();

  /// Runs until warm-up and duration have passed on every thread and nothing is in flight.
  /// `position` follows the time.
  BenchResult run(std::atomic<std::int64_t>& position);

 private:
  rdma::EndpointOptions adapted(const rdma::EndpointOptions& endpoint_options) const;
  void add_threads(rdma::Endpoint& endpoint, std::uint32_t threads);
  void await_peers();

  rdma::Fabric& fabric_;
  BenchOptions options_;
  workloads::NicInterval nics_;
  Nanoseconds bring_up_timeout_;
  std::vector<std::unique_ptr<rdma::Endpoint>> endpoints_;
  std::vector<std::unique_ptr<PostingGroup>> groups_;
  std::vector<std::unique_ptr<PostingThread>> threads_;
};

}  // namespace verbena::experiments
