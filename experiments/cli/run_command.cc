// `verbena run`: transactions on a cluster, measured and verified.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "experiments/cli/commands.h"
#include "experiments/config/units.h"
#include "experiments/report/configuration_text.h"
#include "experiments/report/progress.h"
#include "experiments/report/publish.h"
#include "experiments/report/trace_recorder.h"
#include "experiments/session/make_fabric.h"
#include "experiments/session/memory_need.h"
#include "rdma/base/errors.h"
#include "txn/metrics.h"
#include "workloads/run/cluster_run.h"

namespace verbena::experiments {
namespace {

Measurement measurement_of(const std::string& name, workloads::RunResult& result) {
  Measurement measurement;
  measurement.name = name;
  measurement.seconds = result.measured_seconds;
  measurement.throughput_per_s = result.throughput_per_s;
  measurement.committed = result.metrics.committed;
  measurement.total = result.committed_total;
  measurement.latency = result.metrics.latency;
  const txn::SystemInfo& system = result.system;
  const txn::Metrics& metrics = result.metrics;
  for (std::size_t i = 0; i < system.abort_causes.size(); ++i) {
    measurement.aborted[system.abort_causes[i]] = metrics.aborted[i];
  }
  for (std::size_t i = 0; i < system.phases.size(); ++i) {
    measurement.phases.emplace_back(system.phases[i], metrics.phases[i]);
  }
  for (std::size_t i = 0; i < system.phases.size(); ++i) {
    const txn::Served& served = metrics.served[i];
    if (served.calls == 0) continue;
    const auto mean = [&](std::uint64_t sum) {
      return static_cast<double>(sum) / static_cast<double>(served.calls);
    };
    measurement.served.push_back({.phase = system.phases[i],
                                  .calls = served.calls,
                                  .busy_ns = mean(served.busy_ns),
                                  .request_bytes = mean(served.request_bytes),
                                  .reply_bytes = mean(served.reply_bytes)});
  }
  for (std::size_t i = 0; i < system.counters.size(); ++i) {
    measurement.counters[system.counters[i]] = metrics.counters[i];
  }
  measurement.committed_by_kind = result.committed_by_kind;
  measurement.nic_counters = std::move(result.nic_counters);
  measurement.total_verbs = verbs_of(result.total_nic_counters);
  return measurement;
}

void check_sizes(const RunCommand& command, const workloads::Workload& workload) {
  for (const txn::TableDefinition& table : workload.schema()) {
    const std::uint64_t records = table.initial_records + table.insert_capacity;
    if (records < UINT32_MAX) continue;
    throw ConfigurationError(fmt::format(
        "{}: with these table {} of {} has {} records on a node; at most {} are possible",
        command.factory->info().sizes_follow_from, table.name, command.workload, records,
        UINT32_MAX - 1));
  }
}

Verdict verdict_of(const RunCommand& command, const workloads::RunResult& result) {
  const workloads::Verification& check = result.verification;
  const char* level = isolation_name(result.system.isolation);
  Verdict verdict;
  verdict.summary = fmt::format("{} committed, {} copies of records, total {} = {} {:+}; ",
                                result.committed_total, check.records_checked, check.final_total,
                                check.initial_total, check.committed_change);
  verdict.summary += command.run.record_history
                         ? fmt::format("the history was checked for {}", level)
                         : fmt::format("{} is checked where one process hosts all nodes", level);
  verdict.errors = check.errors;
  if (!check.checked) verdict.errors.emplace_back("the final state was not checked");
  if (!result.history_error.empty()) verdict.errors.push_back("history: " + result.history_error);
  return verdict;
}

workloads::RunResult measured(const RunCommand& command, simnic::Observer* trace) {
  const ClusterOptions& cluster = command.cluster;
  Progress progress("run", (cluster.warmup + cluster.duration).count());
  const auto fabric = make_fabric(command, trace);
  const auto workload = command.factory->make(workload_size(command));
  check_sizes(command, *workload);
  workloads::RunOptions options = command.run;
  options.position_ns = &progress.position();
  return workloads::ClusterRun(*fabric, *workload, *command.loaded_system, options).run();
}

void check_committed(const RunCommand& command, const Measurement& measurement) {
  if (command.run.max_transactions > 0 && measurement.committed == 0) {
    throw ConfigurationError(fmt::format(
        "run.max_transactions {}: all coroutines ended in the {} before the measurement; allowed "
        "are more, or a shorter --warmup",
        command.run.max_transactions, format_duration(command.cluster.warmup)));
  }
  check_measured(command.cluster.duration, measurement);
}

}  // namespace

int execute(const RunCommand& command) {
  if (command.fabric.simulated) check_memory_need(command.cluster, physical_memory_bytes());
  Publisher publisher(command.output);
  const std::unique_ptr<TraceRecorder> trace = make_trace(command);
  workloads::RunResult result = measured(command, trace.get());

  Report report{.record = command.record,
                .configuration = configuration_text(command),
                .nodes = command.cluster.nodes,
                .seed = command.cluster.seed};
  if (command.fabric.simulated) {
    report.sim_seconds = to_seconds(command.cluster.warmup + command.cluster.duration);
  }
  report.setup_wall_seconds = result.setup_wall_seconds;
  report.trace_digest = result.trace_digest;
  if (command.run.verify) report.verdict = verdict_of(command, result);
  report.measurements.push_back(
      measurement_of(result.system.name + "/" + command.workload, result));
  check_committed(command, report.measurements.back());
  if (trace != nullptr) trace->check();
  const int code = publisher.publish(std::move(report));
  if (trace != nullptr) trace->commit();
  return code;
}

}  // namespace verbena::experiments
