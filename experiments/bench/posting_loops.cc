// Set-up, end and sums of the posting loops.
#include "experiments/bench/posting_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "experiments/bench/observe_between.h"
#include "experiments/bench/posting_thread.h"
#include "rdma/base/errors.h"
#include "rdma/device/send_queue.h"
#include "rdma/endpoint.h"

namespace verbena::experiments {
namespace {

/// Time for which a process stays for peers to learn that it is done.
constexpr Nanoseconds kStay = 2 * kSecond;

}  // namespace

rdma::EndpointOptions PostingLoops::adapted(const rdma::EndpointOptions& endpoint_options) const {
  const std::uint32_t sharing = std::min(options_.threads_per_queue_pair, endpoint_options.workers);
  rdma::EndpointOptions adapted = endpoint_options;
  adapted.workers = (endpoint_options.workers + sharing - 1) / sharing;
  if (adapted.nics > adapted.workers) {
    throw ConfigurationError(fmt::format(
        "--nics-per-node {} is more than the groups of threads that share queue pairs: {}",
        adapted.nics, adapted.workers));
  }
  const std::uint64_t requests = std::uint64_t{sharing} * options_.window;
  if (requests > rdma::kMaxSendQueueDepth) {
    throw ConfigurationError(
        fmt::format("--window {} of {} threads that share a queue pair is more than its {} places",
                    options_.window, sharing, rdma::kMaxSendQueueDepth));
  }
  // All that the sharing threads have in flight may be in one queue.
  adapted.send_queue_depth = static_cast<std::uint32_t>(std::max<std::uint64_t>(requests, 2));
  adapted.signal_interval = 1;
  adapted.transport = options_.transport;
  adapted.scratch_bytes =
      std::max<std::size_t>(4096, requests * whole_lines(options_.payload_bytes));
  return adapted;
}

PostingLoops::PostingLoops(rdma::Fabric& fabric, const rdma::EndpointOptions& endpoint_options,
                           const BenchOptions& options)
    : fabric_(fabric),
      options_(options),
      nics_(fabric),
      bring_up_timeout_(endpoint_options.bring_up_timeout) {
  const rdma::EndpointOptions used = adapted(endpoint_options);
  const std::uint64_t bytes =
      std::max<std::uint64_t>(kBenchRegionBytes, 4 * whole_lines(options.payload_bytes));
  for (const NodeId node : fabric.hosted()) {
    endpoints_.push_back(std::make_unique<rdma::Endpoint>(fabric, node, used));
    endpoints_.back()->add_region("bench", bytes, nullptr);
  }
  for (auto& endpoint : endpoints_) endpoint->publish();
  for (auto& endpoint : endpoints_) endpoint->connect();
  for (auto& endpoint : endpoints_) {
    if (endpoint->node() < options_.clients) add_threads(*endpoint, endpoint_options.workers);
  }
}

PostingLoops::~PostingLoops() = default;

void PostingLoops::add_threads(rdma::Endpoint& endpoint, std::uint32_t threads) {
  const BenchPeers peers(fabric_.nodes(), options_.servers, endpoint.node());
  for (std::uint32_t number = 0; number < threads; ++number) {
    if (number % options_.threads_per_queue_pair == 0) {
      const auto worker = static_cast<WorkerId>(number / options_.threads_per_queue_pair);
      groups_.push_back(std::make_unique<PostingGroup>(
          PostingGroup{endpoint.worker(worker),
                       rdma::RawConnections(endpoint.worker(worker).connections()),
                       {}}));
    }
    threads_.push_back(std::make_unique<PostingThread>(
        *groups_.back(), static_cast<WorkerId>(number), threads * options_.clients, options_, peers,
        threads_.empty() && !fabric_.has_one_clock() ? &nics_ : nullptr));
  }
}

// NICs answer for as long as their processes live.
void PostingLoops::await_peers() {
  const auto end = static_cast<NodeId>(fabric_.nodes());
  if (fabric_.hosted().size() == end) return;
  const Nanoseconds timeout = options_.warm_up + options_.duration + bring_up_timeout_;
  rdma::Rendezvous& rendezvous = fabric_.rendezvous();
  const std::string done = "posting-loops-done";
  for (const NodeId node : fabric_.hosted()) rendezvous.publish(node, done, {});
  for (NodeId peer = 0; peer < end; ++peer) rendezvous.fetch(peer, done, timeout);
  // Peers that come to it later find this process still there.
  for (NodeId peer = 0; peer < end; ++peer) {
    rendezvous.await_fetch(fabric_.hosted().front(), done, peer, kStay);
  }
}

BenchResult PostingLoops::run(std::atomic<std::int64_t>& position) {
  std::atomic<std::int64_t>* const told = fabric_.has_one_clock() ? nullptr : &position;
  observe_between(fabric_, nics_, options_, position);
  std::vector<rdma::CoreTask> tasks;
  tasks.reserve(threads_.size());
  for (auto& thread : threads_) {
    tasks.push_back({thread->node(), thread->number(),
                     [&thread, told](rdma::Core& core) { thread->run(core, told); }});
  }
  fabric_.run(std::move(tasks));
  await_peers();
  BenchResult result;
  for (const auto& thread : threads_) thread->add_to(result);
  result.nic_counters = nics_.counters();
  result.total_nic_counters = nics_.total();
  result.utilization = nics_.utilization();
  return result;
}

}  // namespace verbena::experiments
