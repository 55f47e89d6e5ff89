// `verbena run`: transactions on a cluster, measured and verified.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "experiments/cli/commands.h"
#include "experiments/config/tuning.h"
#include "experiments/config/units.h"
#include "experiments/config/workload_keys.h"
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

void check_sizes(const std::string& settings, const workloads::Workload& workload) {
  for (const txn::TableDefinition& table : workload.schema()) {
    const std::uint64_t records = table.initial_records + table.insert_capacity;
    if (records < UINT32_MAX) continue;
    throw ConfigurationError(fmt::format(
        "{}: with these table {} of {} has {} records on a node; at most {} are possible", settings,
        table.name, workload.name(), records, UINT32_MAX - 1));
  }
}

Verdict verdict_of(const Options& options, const workloads::RunResult& result) {
  const workloads::Verification& check = result.verification;
  Verdict verdict;
  verdict.summary = fmt::format(
      "{} committed, {} copies of records, total {} = {} {:+}{}", result.committed_total,
      check.records_checked, check.final_total, check.initial_total, check.committed_change,
      options.peers.empty() ? ", strictly serializable"
                            : "; serializability is checked where one process hosts all nodes");
  verdict.errors = check.errors;
  if (!check.checked) verdict.errors.emplace_back("the final state was not checked");
  if (!result.history_error.empty()) verdict.errors.push_back("history: " + result.history_error);
  return verdict;
}

}  // namespace

int run_command(const Options& options) {
  Tuning tuning = make_tuning(options);
  const auto factory = chosen_workload(options);
  check_memory_need(options, physical_memory_bytes());
  Publisher publisher(options);
  const std::unique_ptr<TraceRecorder> trace = make_trace(options);
  std::unique_ptr<rdma::Fabric> fabric;
  workloads::RunResult result;
  {
    Progress progress("run", options.warmup + options.duration);
    fabric = make_fabric(options, trace.get());
    const auto workload = factory->make({.nodes = options.nodes, .workers = options.threads});
    check_sizes(factory->info().sizes_follow_from, *workload);
    tuning.run.position_ns = &progress.position();
    workloads::ClusterRun run(*fabric, *workload, *tuning.system, tuning.run);
    result = run.run();
  }

  Report report;
  report.options = options;
  if (options.simulated()) {
    report.sim_seconds = static_cast<double>(options.warmup + options.duration) / kSecond;
  }
  report.setup_wall_seconds = result.setup_wall_seconds;
  report.trace_digest = result.trace_digest;
  if (options.verify) report.verdict = verdict_of(options, result);
  report.measurements.push_back(
      measurement_of(result.system.name + "/" + options.workload, result));
  if (tuning.run.max_transactions > 0 && report.measurements.back().committed == 0) {
    throw ConfigurationError(fmt::format(
        "run.max_transactions {}: all coroutines ended in the {} before the measurement; allowed "
        "are more, or a shorter --warmup",
        tuning.run.max_transactions, format_duration(options.warmup)));
  }
  check_measured(options, report.measurements.back());
  if (trace != nullptr) trace->check();
  const int code = publisher.publish(std::move(report));
  if (trace != nullptr) trace->commit();
  return code;
}

}  // namespace verbena::experiments
