// `verbena bench OPERATION`: closed loops of one operation.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "experiments/bench/bench_loops.h"
#include "experiments/bench/posting_loops.h"
#include "experiments/cli/commands.h"
#include "experiments/config/key.h"
#include "experiments/report/configuration_text.h"
#include "experiments/report/progress.h"
#include "experiments/report/publish.h"
#include "experiments/report/trace_recorder.h"
#include "experiments/session/make_fabric.h"
#include "experiments/session/memory_need.h"
#include "rdma/base/random.h"

namespace verbena::experiments {
namespace {

// Whether operations are to end at the nodes that this process hosts.
bool completes_here(const BenchCommand& command) {
  return command.fabric.peers.empty() || (command.bench.operation != Operation::kSend &&
                                          command.fabric.node < command.bench.clients);
}

// One measurement of a report.
Measurement measure(const BenchCommand& command, const std::string& what, simnic::Observer* trace,
                    Report& report) {
  const auto start = std::chrono::steady_clock::now();
  const ClusterOptions& cluster = command.cluster;
  Progress progress(what, (command.bench.warm_up + command.bench.duration).count());
  const auto fabric = make_fabric(command, trace);
  BenchResult result;
  const auto run = [&](auto loops) {
    const std::chrono::duration<double> setup = std::chrono::steady_clock::now() - start;
    report.setup_wall_seconds += setup.count();
    result = loops->run(progress.position());
  };
  if (command.raw_loop) {
    run(std::make_unique<PostingLoops>(*fabric, cluster.endpoint, command.bench));
  } else {
    run(std::make_unique<BenchLoops>(*fabric, cluster.endpoint, command.bench));
  }

  Measurement measurement;
  measurement.name = "bench " + command.record.operation;
  measurement.seconds = to_seconds(command.bench.duration);
  measurement.throughput_per_s = static_cast<double>(result.completed) / measurement.seconds;
  measurement.per_client_per_s = measurement.throughput_per_s / command.bench.clients;
  measurement.per_server_per_s = measurement.throughput_per_s / command.receivers();
  measurement.carried_gbps =
      measurement.throughput_per_s * static_cast<double>(command.bench.carried_bytes()) * 8 / 1e9;
  measurement.committed = result.completed;
  measurement.total = result.total;
  measurement.latency = result.latency;
  measurement.series = result.series;
  measurement.precision = workloads::precision_of(result.series);
  measurement.counters = std::move(result.counters);
  measurement.nic_counters = std::move(result.nic_counters);
  measurement.utilization = std::move(result.utilization);
  measurement.total_verbs = verbs_of(result.total_nic_counters);
  if (completes_here(command)) check_measured(command.bench.duration, measurement);
  if (command.fabric.simulated) {
    report.sim_seconds += to_seconds(result.end);
  }
  // Of several runs: a digest of their digests.
  report.trace_digest = report.trace_digest == 0
                            ? fabric->trace_digest()
                            : mix64(report.trace_digest) ^ fabric->trace_digest();
  return measurement;
}

// What the command, which lies beside others of a series, has for each of the lists.
std::vector<std::pair<std::string, std::string>> values_of(
    const std::map<std::string, std::string>& lists, BenchCommand command) {
  std::vector<std::pair<std::string, std::string>> values;
  const Keys own = keys(command);
  for (const auto& [key, list] : lists) {
    const Key& known = *find_key(own, key);
    values.emplace_back(
        key, known.is_flag() ? value_text(known.parameter) : command.record.overrides.at(key));
  }
  return values;
}

}  // namespace

int execute(const BenchCommand& command) {
  const std::vector<BenchCommand> all =
      command.measurements.empty() ? std::vector<BenchCommand>{command} : command.measurements;
  // Nothing is measured when one of them cannot be.
  for (const BenchCommand& each : all) {
    if (!each.fabric.simulated) continue;
    check_memory_need(each.cluster, physical_memory_bytes(), each.bench.threads_per_queue_pair);
  }
  Publisher publisher(command.output);
  const std::unique_ptr<TraceRecorder> trace = make_trace(command);
  Report report{.record = command.record,
                .configuration = configuration_text(command),
                .nodes = command.cluster.nodes,
                .seed = command.cluster.seed};
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string what = "bench " + command.record.operation;
    if (all.size() > 1) what += fmt::format(", {} of {}", i + 1, all.size());
    report.measurements.push_back(measure(all[i], what, trace.get(), report));
    report.measurements.back().values = values_of(command.record.lists, all[i]);
  }
  const int code = publisher.publish(std::move(report));
  if (trace != nullptr) {
    trace->check();
    trace->commit();
  }
  return code;
}

}  // namespace verbena::experiments
