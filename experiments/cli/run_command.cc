// `verbena run`: transactions on a cluster, measured and verified.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/cli/commands.h"
#include "experiments/cli/faulty_run.h"
#include "experiments/cli/series_command.h"
#include "experiments/cli/shown_progress.h"
#include "experiments/config/keys/units.h"
#include "experiments/paths/path_recorder.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/files/history_file.h"
#include "experiments/report/files/output_file.h"
#include "experiments/report/files/reached_file.h"
#include "experiments/report/progress.h"
#include "experiments/report/publish.h"
#include "experiments/report/run_report.h"
#include "experiments/report/text/configuration_text.h"
#include "experiments/report/trace_recorder.h"
#include "experiments/session/memory_need.h"
#include "experiments/session/stop_request.h"
#include "rdma/base/errors.h"
#include "simnic/observe/observer_list.h"
#include "workloads/run/cluster_run.h"

namespace verbena::experiments {
namespace {

void check_sizes(const RunCommand& command, const workloads::Workload& workload) {
  for (const txn::TableDefinition& table : workload.schema()) {
    const std::uint64_t records = table.initial_records + table.insert_capacity;
    if (records < UINT32_MAX) continue;
    throw ConfigurationError(fmt::format(
        "{}: with these, table {} of {} would have {} records on a node; at most {} are possible",
        command.factory->info().sizes_follow_from, table.name, command.workload, records,
        UINT32_MAX - 1));
  }
}

FaultyRun measured(const RunCommand& command, simnic::Observer* observer, const StopRequest& stop,
                   ReachedPoints* reached, std::vector<workloads::Unfinished>& unfinished,
                   std::optional<workloads::RunResult>& partial) {
  const ShownProgress progress("run", MeasuringCommand(command));
  const auto workload = command.factory->make(workload_size(command));
  check_sizes(command, *workload);
  workloads::RunOptions options = command.run;
  if (command.fabric.simulated && command.max_memory == "auto") {
    const std::uint64_t share = command.memory_share_bytes;
    options.goal.most_memory_bytes = usual_most_memory_bytes(
        share != 0 ? share : available_memory_bytes(),
        std::uint64_t{command.cluster.nodes} * command.cluster.endpoint.workers);
  }
  options.position_ns = &stop.position();
  options.progress = &progress.told();
  options.stop = &stop.flag();
  options.reached = reached;
  options.unfinished = &unfinished;
  if (!command.fabric.peers.empty()) options.partial = &partial;
  return run_with_faults(command, *workload, options, observer);
}

Report report_of(const RunCommand& command, workloads::RunResult& result) {
  Report report{.record = command.record,
                .configuration = configuration_text(command),
                .nodes = command.cluster.nodes,
                .seed = command.cluster.seed,
                .warm_up = result.warm_up,
                .partial = result.stopped,
                .finds_warm_up = !command.cluster.warmup};
  if (!command.fabric.peers.empty() && result.processes.empty()) {
    report.of_node = static_cast<NodeId>(command.fabric.node);
  }
  if (command.fabric.simulated) {
    report.sim_seconds = to_seconds(result.warm_up + result.duration);
  }
  report.setup_wall_seconds = result.setup_wall_seconds;
  report.trace_digest = result.trace_digest;
  report.thread_bounds = result.thread_bounds;
  report.measurements.push_back(
      measurement_of(result.system.name + "/" + command.workload, result));
  report.measurements.back().offered_per_s = command.run.offered.per_second;
  if (!command.cluster.duration) report.measurements.back().goal = command.run.goal.half_width;
  return report;
}

// Tells also of a run that fails what it came to before, and which transactions it left; or where
// another process of the cluster is missing what it had measured. One that is refused came to
// nothing.
FaultyRun measured(const RunCommand& command, simnic::Observer* observer, const StopRequest& stop,
                   ReachedFile& reached, const Publisher& publisher) {
  std::optional<FaultyRun> run;
  std::vector<workloads::Unfinished> unfinished;
  std::optional<workloads::RunResult> partial;
  try {
    run = measured(command, observer, stop, reached.points(), unfinished, partial);
  } catch (const ConfigurationError&) {
    throw;
  } catch (const std::exception& error) {
    reached.commit();
    if (partial) {
      publisher.publish(report_of(command, *partial));
      publisher.tell_unfinished(unfinished);
    } else {
      publisher.publish_unfinished(error.what(), unfinished);
    }
    throw;
  }
  reached.commit();
  return *std::move(run);
}

// This process runs that node, so it would know of its death.
bool hosts(const RunCommand& command, std::uint32_t node) {
  return command.fabric.peer_list().empty() || command.fabric.node == node;
}

bool died(const FaultyRun& run, std::uint32_t node) {
  return std::ranges::find(run.died, static_cast<NodeId>(node)) != run.died.end();
}

void check_committed(const RunCommand& command, const FaultyRun& run,
                     const Measurement& measurement) {
  const workloads::RunResult& result = run.result;
  for (const auto& [key, crash] :
       {std::pair("kill", command.crash), std::pair("second", command.second_crash)}) {
    if (crash.point.empty() || !hosts(command, crash.node) || died(run, crash.node)) continue;
    throw NotMeasured(fmt::format(
        "faults.{}_at {}: node {} did not reach this point{}, so it did not die", key, crash.point,
        crash.node, crash.count == 1 ? std::string() : fmt::format(" {} times", crash.count)));
  }
  if (result.computing_nodes == 0) return;
  if (command.run.max_transactions > 0 && measurement.committed == 0) {
    throw NotMeasured(
        fmt::format("run.max_transactions {}: all coroutines ended during the warm-up of {}; allow "
                    "more transactions, or shorten --warmup",
                    command.run.max_transactions, format_duration(result.warm_up)));
  }
  check_measured(result.duration, measurement);
}

}  // namespace

int execute(const RunCommand& command) {
  check_points_of_deaths(command);
  if (!command.measurements.empty()) {
    return execute_series(sweep_of(command, configuration_text(command.measurements.front())),
                          command.output);
  }
  if (command.fabric.simulated) check_memory_need(command.cluster, physical_memory_bytes());
  Publisher publisher(command.output);
  std::optional<OutputFile> history;
  if (!command.output.history.empty()) history.emplace(command.output.history, "--history");
  ReachedFile reached(command.output.reached);
  const std::unique_ptr<TraceRecorder> trace = make_trace(command);
  std::optional<PathRecorder> paths;
  if (command.explain) paths.emplace(command.cluster.endpoint.nics);
  simnic::ObserverList observers;
  observers.add(trace.get());
  observers.add(paths ? &*paths : nullptr);
  const StopRequest stop;
  FaultyRun run = measured(command, observers.shortest(), stop, reached, publisher);
  workloads::RunResult& result = run.result;

  if (history) {
    history->commit(
        history_text(result.history, result.tables, history_form(command.output.history)));
  }
  Report report = report_of(command, result);
  if (command.run.verify) report.verdict = verdict_of(result);
  if (paths) report.measurements.back().critical_path = paths->critical_path();
  // The verdict is told even when nothing was measured.
  const Measurement measurement = report.measurements.back();
  const int code = publisher.publish(std::move(report));
  if (trace != nullptr) {
    if (code == kSuccess && !result.stopped) trace->check();
    trace->commit();
  }
  if (code != kSuccess) return code;
  if (result.stopped) return kInterrupted;
  check_committed(command, run, measurement);
  return kSuccess;
}

}  // namespace verbena::experiments
