// Sums over the workers of a run.
#pragma once

#include <span>
#include <string>

#include "workloads/run/cluster_run.h"
#include "workloads/run/worker_run.h"

namespace verbena::workloads {

/// Adds the counts of `worker`, which must have stopped, to `result`: commits, latencies by kind
/// (Workload::kinds), transactions in flight, and those that came to nothing.
void add_worker(const WorkerRun& worker, std::span<const std::string> kinds, RunResult& result);

/// Time from the beginning of the measured window to the end of the interval with the last commit;
/// 0 without commits.
Nanoseconds last_commit(const WorkerRun& worker);

}  // namespace verbena::workloads
