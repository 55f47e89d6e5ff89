// `verbena bench OPERATION`: closed loops of one operation.
#include <memory>
#include <utility>

#include "experiments/bench_loops.h"
#include "experiments/commands.h"
#include "experiments/make_fabric.h"
#include "experiments/progress.h"
#include "experiments/publish.h"
#include "experiments/raw_loops.h"
#include "experiments/tuning.h"

namespace verbena::experiments {
namespace {

BenchOptions bench_options(const Options& options) {
  BenchOptions bench;
  bench.operation = operation_of(options.operation);
  bench.payload_bytes = options.payload;
  bench.request_bytes = options.request_payload;
  bench.window = options.window;
  bench.fibers = options.coroutines;
  bench.clients = options.clients;
  bench.servers = options.servers;
  bench.objects = options.objects;
  bench.two_sided = options.primitive == "two-sided";
  bench.outstanding = options.outstanding;
  bench.passive = options.passive;
  bench.threads_per_queue_pair = options.threads_per_queue_pair;
  bench.transport =
      options.transport == "uc" ? rdma::Transport::kUnreliable : rdma::Transport::kReliable;
  bench.doorbell = options.doorbell == "batched" ? rdma::Doorbell::kBatched : rdma::Doorbell::kEach;
  bench.warm_up = options.warmup;
  bench.duration = options.duration;
  bench.seed = options.seed;
  bench.servers_sleep = !options.simulated();
  return bench;
}

// Whether operations are to end at the nodes that this process hosts.
bool completes_here(const Options& options) {
  return options.peers.empty() || (options.operation != "send" && options.node < options.clients);
}

}  // namespace

int bench_command(const Options& options) {
  const Tuning tuning = make_tuning(options);
  Publisher publisher(options);
  std::unique_ptr<rdma::Fabric> fabric;
  Report report;
  BenchResult result;
  {
    Progress progress("bench " + options.operation, options.warmup + options.duration);
    fabric = make_fabric(options);
    const auto measure = [&](auto loops) {
      report.setup_wall_seconds = publisher.elapsed_seconds();
      result = loops->run(progress.position());
    };
    if (options.loop == "raw") {
      measure(std::make_unique<RawLoops>(*fabric, tuning.run.endpoint, bench_options(options)));
    } else {
      measure(std::make_unique<BenchLoops>(*fabric, tuning.run.endpoint, bench_options(options)));
    }
  }

  Measurement measurement;
  measurement.name = "bench " + options.operation;
  measurement.seconds = static_cast<double>(options.duration) / rdma::kSecond;
  measurement.throughput_per_s = static_cast<double>(result.completed) / measurement.seconds;
  measurement.committed = result.completed;
  measurement.total = result.total;
  measurement.latency = result.latency;
  measurement.counters = std::move(result.counters);
  measurement.nic_counters = std::move(result.nic_counters);
  measurement.total_verbs = verbs_of(result.total_nic_counters);
  if (completes_here(options)) check_measured(options, measurement);
  report.options = options;
  report.sim_seconds = options.simulated() ? static_cast<double>(result.end) / rdma::kSecond : 0;
  report.trace_digest = fabric->trace_digest();
  report.measurements.push_back(std::move(measurement));
  return publisher.publish(std::move(report));
}

}  // namespace verbena::experiments
