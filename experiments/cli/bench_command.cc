// `verbena bench OPERATION`: closed loops of one operation.
#include <chrono>
#include <memory>
#include <utility>

#include "experiments/bench/bench_loops.h"
#include "experiments/bench/posting_loops.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/series_command.h"
#include "experiments/cli/shown_progress.h"
#include "experiments/report/build_info.h"
#include "experiments/report/progress.h"
#include "experiments/report/publish.h"
#include "experiments/report/text/configuration_text.h"
#include "experiments/report/trace_recorder.h"
#include "experiments/session/agreement.h"
#include "experiments/session/make_fabric.h"
#include "experiments/session/memory_need.h"

namespace verbena::experiments {
namespace {

// True if operations are to end at the nodes that this process hosts.
bool completes_here(const BenchCommand& command) {
  return command.fabric.peers.empty() || (command.bench.operation != Operation::kSend &&
                                          command.fabric.node < command.bench.clients);
}

// Fills in what of the report is not of the measurement.
Measurement measure(const BenchCommand& command, simnic::Observer* trace, Report& report) {
  const auto start = std::chrono::steady_clock::now();
  const ClusterOptions& cluster = command.cluster;
  const ShownProgress progress("bench " + command.record.operation, MeasuringCommand(command));
  workloads::RunProgress& told = progress.told();
  const Nanoseconds end = command.bench.warm_up + command.bench.duration;
  told.enter(workloads::RunStage::kLoading);
  told.foresee(command.bench.warm_up, end, end);
  const auto fabric = make_fabric(command, trace);
  const auto run = [&](auto loops) {
    const std::chrono::duration<double> setup = std::chrono::steady_clock::now() - start;
    report.setup_wall_seconds = setup.count();
    told.enter(workloads::RunStage::kWarmUp);
    BenchResult measured = loops->run(told.passed_ns());
    told.enter(workloads::RunStage::kChecking);
    return measured;
  };
  BenchResult result = among_peers(command, build_commit(), *fabric, [&] {
    return command.raw_loop
               ? run(std::make_unique<PostingLoops>(*fabric, cluster.endpoint, command.bench))
               : run(std::make_unique<BenchLoops>(*fabric, cluster.endpoint, command.bench));
  });

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
  measurement.latency_batches = std::move(result.latency_batches);
  measurement.in_flight = result.in_flight;
  measurement.in_flight_until = result.in_flight_until;
  measurement.series = result.series;
  measurement.precision = workloads::precision_of(result.series);
  measurement.counters = std::move(result.counters);
  measurement.nic_counters = std::move(result.nic_counters);
  measurement.utilization = std::move(result.utilization);
  measurement.total_verbs = verbs_of(result.total_nic_counters);
  if (completes_here(command)) check_measured(command.bench.duration, measurement);
  if (command.fabric.simulated) report.sim_seconds = to_seconds(result.end);
  report.trace_digest = fabric->trace_digest();
  report.thread_bounds = fabric->thread_bounds();
  return measurement;
}

}  // namespace

int execute(const BenchCommand& command) {
  if (!command.measurements.empty()) {
    return execute_series(sweep_of(command, configuration_text(command.measurements.front())),
                          command.output);
  }
  if (command.fabric.simulated) {
    check_memory_need(command.cluster, physical_memory_bytes(),
                      command.bench.threads_per_queue_pair);
  }
  Publisher publisher(command.output);
  const std::unique_ptr<TraceRecorder> trace = make_trace(command);
  Report report{.record = command.record,
                .configuration = configuration_text(command),
                .nodes = command.cluster.nodes,
                .seed = command.cluster.seed,
                .warm_up = command.bench.warm_up};
  report.measurements.push_back(measure(command, trace.get(), report));
  const int code = publisher.publish(std::move(report));
  if (trace != nullptr) {
    trace->check();
    trace->commit();
  }
  return code;
}

}  // namespace verbena::experiments
