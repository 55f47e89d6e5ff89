// The loops' nodes, workers and fibers.
#include "experiments/bench/bench_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "experiments/bench/bench_fibers.h"
#include "experiments/bench/bench_worker.h"
#include "experiments/bench/observe_between.h"
#include "experiments/bench/prism_objects.h"
#include "rdma/base/errors.h"
#include "rdma/endpoint.h"
#include "rdma/prism/chain_server.h"

namespace verbena::experiments {
namespace {

/// Limit of the memory that a worker's requests read into and write from.
constexpr std::uint64_t kMostBufferBytes = std::uint64_t{16} << 30;

void sleeping_fiber(const BenchWorker& bench) {
  while (!bench.over()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void run_fiber(BenchWorker& bench) {
  switch (bench.options.operation) {
    case Operation::kSend:
      return send_fiber(bench);
    case Operation::kRpc:
    case Operation::kWriteRpc:
      return rpc_fiber(bench);
    case Operation::kMultiRead:
    case Operation::kMultiWrite:
      return bench.options.two_sided ? multi_two_sided_fiber(bench) : multi_one_sided_fiber(bench);
    case Operation::kIndirectRead:
    case Operation::kPrismWrite:
    case Operation::kAllocate:
    case Operation::kPrismCas:
      return prism_fiber(bench);
    default:
      return one_sided_fiber(bench);
  }
}

}  // namespace

rdma::EndpointOptions BenchLoops::adapted(const rdma::EndpointOptions& endpoint_options) const {
  rdma::EndpointOptions adapted = endpoint_options;
  adapted.fibers_per_worker = options_.fibers;
  const std::uint64_t requests =
      std::uint64_t{options_.fibers} * std::max(options_.window, options_.objects);
  const std::uint64_t buffers = requests * whole_lines(options_.payload_bytes);
  if (buffers > kMostBufferBytes) {
    throw ConfigurationError(fmt::format(
        "--payload {} for {} requests at a time of each of --coroutines {}: {} bytes of a "
        "worker; allowed are {}",
        options_.payload_bytes, requests / options_.fibers, options_.fibers, buffers,
        kMostBufferBytes));
  }
  adapted.scratch_bytes = buffers + (1 << 16);
  // Without doorbell batching, servers have none either.
  if (options_.two_sided && options_.doorbell == rdma::Doorbell::kEach) {
    adapted.rpc.batch_replies = false;
  }
  return adapted;
}

void BenchLoops::add_region(rdma::Endpoint& endpoint) const {
  if (is_prism(options_.operation)) {
    const PrismObjects objects(options_, endpoint.links());
    endpoint.add_region("objects", objects.region_bytes(), objects.loader());
    return;
  }
  const std::uint64_t bytes =
      std::max<std::uint64_t>(kBenchRegionBytes, 4 * whole_lines(options_.payload_bytes));
  endpoint.add_region("bench", bytes, nullptr);
}

BenchLoops::BenchLoops(rdma::Fabric& fabric, const rdma::EndpointOptions& endpoint_options,
                       const BenchOptions& options)
    : fabric_(fabric), options_(options), nics_(fabric) {
  for (const NodeId node : fabric.hosted()) {
    endpoints_.push_back(std::make_unique<rdma::Endpoint>(fabric, node, adapted(endpoint_options)));
    add_region(*endpoints_.back());
  }
  for (auto& endpoint : endpoints_) endpoint->publish();
  for (auto& endpoint : endpoints_) endpoint->connect();
  for (auto& endpoint : endpoints_) {
    if (is_prism(options_.operation)) {
      chain_servers_.push_back(PrismObjects(options_, endpoint->links()).serve(*endpoint));
    }
    for (std::uint32_t worker = 0; worker < endpoint->workers(); ++worker) {
      prepare(*endpoint, static_cast<WorkerId>(worker));
    }
  }
}

BenchLoops::~BenchLoops() = default;

void BenchLoops::prepare(rdma::Endpoint& endpoint, WorkerId id) {
  // Clocks of two hosts differ.
  const bool latencies =
      options_.operation != Operation::kSend || fabric_.hosted().size() == fabric_.nodes();
  const bool observes = workers_.empty() && !fabric_.has_one_clock();
  workers_.push_back(std::make_unique<BenchWorker>(endpoint.worker(id), options_, fabric_.nodes(),
                                                   endpoint.workers(), observes ? &nics_ : nullptr,
                                                   latencies));
  BenchWorker& bench = *workers_.back();
  serve(bench);
  const std::uint32_t fibers = endpoint.node() < options_.clients ? options_.fibers : 0;
  if (fibers == 0 && options_.servers_sleep && options_.served_by_nics()) {
    bench.worker.spawn([&bench] { sleeping_fiber(bench); });
  }
  for (std::uint32_t fiber = 0; fiber < fibers; ++fiber) {
    bench.worker.spawn([&bench] { run_fiber(bench); });
  }
}

BenchResult BenchLoops::run(std::atomic<std::int64_t>& position) {
  std::atomic<std::int64_t>* const told = fabric_.has_one_clock() ? nullptr : &position;
  observe_between(fabric_, nics_, options_, position);
  std::vector<rdma::CoreTask> tasks;
  tasks.reserve(workers_.size());
  for (auto& bench : workers_) {
    tasks.push_back({bench->worker.node(), bench->worker.id(),
                     [&bench, told](rdma::Core& core) { bench->run(core, told); }});
  }
  fabric_.run(std::move(tasks));
  BenchResult result;
  for (const auto& bench : workers_) bench->add_to(result);
  result.nic_counters = nics_.counters();
  result.total_nic_counters = nics_.total();
  result.utilization = nics_.utilization();
  return result;
}

}  // namespace verbena::experiments
