// Loops that post and poll without fibers, to measure what a NIC and its driver can do.
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

/// Raw loops like rc-swarm of rdma_bench (ATC'16) and the tests of SMART (ASPLOS'24). Each thread
/// of a client keeps `window` signaled one-sided requests in flight, each to a random queue pair of
/// a random server, and posts another when one completes. With Doorbell::kBatched it posts all
/// requests that are free as one chain to one random queue pair.
///
/// `threads_per_queue_pair` threads of a node share queue pairs, a completion queue and a context.
/// Any of them may poll a completion of another; the completion names its owner. The constructor
/// sets up memory and connections; `run` may be called once.
class PostingLoops {
 public:
  /// Throws ConfigurationError when there are too few NICs or queues.
  PostingLoops(rdma::Fabric& fabric, const rdma::EndpointOptions& endpoint_options,
               const BenchOptions& options);
  ~PostingLoops();

  /// Runs until warm-up and duration have passed on every thread and nothing is in flight. Stores
  /// the current time in `position`.
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
