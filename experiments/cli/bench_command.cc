// `verbena bench OPERATION`: closed loops of one operation.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "experiments/bench/bench_loops.h"
#include "experiments/bench/posting_loops.h"
#include "experiments/cli/commands.h"
#include "experiments/config/setting.h"
#include "experiments/config/tuning.h"
#include "experiments/report/progress.h"
#include "experiments/report/publish.h"
#include "experiments/report/trace_recorder.h"
#include "experiments/session/make_fabric.h"
#include "experiments/session/memory_need.h"
#include "rdma/base/random.h"

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
  bench.rounds = options.rounds;
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

// One measurement of a report.
Measurement measure(const Options& options, const std::string& what, simnic::Observer* trace,
                    Report& report) {
  const auto start = std::chrono::steady_clock::now();
  const Tuning tuning = make_tuning(options);
  Progress progress(what, options.warmup + options.duration);
  const auto fabric = make_fabric(options, trace);
  BenchResult result;
  const auto run = [&](auto loops) {
    const std::chrono::duration<double> setup = std::chrono::steady_clock::now() - start;
    report.setup_wall_seconds += setup.count();
    result = loops->run(progress.position());
  };
  if (options.loop == "raw") {
    run(std::make_unique<PostingLoops>(*fabric, tuning.run.endpoint, bench_options(options)));
  } else {
    run(std::make_unique<BenchLoops>(*fabric, tuning.run.endpoint, bench_options(options)));
  }

  Measurement measurement;
  measurement.name = "bench " + options.operation;
  measurement.seconds = static_cast<double>(options.duration) / kSecond;
  measurement.throughput_per_s = static_cast<double>(result.completed) / measurement.seconds;
  measurement.per_client_per_s = measurement.throughput_per_s / options.clients;
  measurement.per_server_per_s = measurement.throughput_per_s / options.receivers();
  measurement.committed = result.completed;
  measurement.total = result.total;
  measurement.latency = result.latency;
  measurement.counters = std::move(result.counters);
  measurement.nic_counters = std::move(result.nic_counters);
  measurement.total_verbs = verbs_of(result.total_nic_counters);
  if (completes_here(options)) check_measured(options, measurement);
  if (options.simulated()) {
    report.sim_seconds += static_cast<double>(result.end) / kSecond;
  }
  // Of several runs: a digest of their digests.
  report.trace_digest = report.trace_digest == 0
                            ? fabric->trace_digest()
                            : mix64(report.trace_digest) ^ fabric->trace_digest();
  return measurement;
}

std::vector<std::pair<std::string, std::string>> values_of(const Options& series,
                                                           const Options& options) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& [key, list] : series.lists) {
    const Setting* setting = find_setting(key);
    values.emplace_back(
        key, setting != nullptr ? value_text(*setting, options) : options.overrides.at(key));
  }
  return values;
}

}  // namespace

int bench_command(const Options& options) {
  const std::vector<Options> all =
      options.lists.empty() ? std::vector<Options>{options} : options.measurements;
  // Nothing is measured when one of them cannot be.
  for (const Options& each : all) {
    make_tuning(each);
    check_memory_need(each, physical_memory_bytes());
  }
  Publisher publisher(options);
  const std::unique_ptr<TraceRecorder> trace = make_trace(options);
  Report report;
  report.options = options;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string what = "bench " + options.operation;
    if (all.size() > 1) what += fmt::format(", {} of {}", i + 1, all.size());
    report.measurements.push_back(measure(all[i], what, trace.get(), report));
    report.measurements.back().values = values_of(options, all[i]);
  }
  if (trace != nullptr) trace->check();
  const int code = publisher.publish(std::move(report));
  if (trace != nullptr) trace->commit();
  return code;
}

}  // namespace verbena::experiments
