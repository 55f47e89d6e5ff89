// Sums over the workers of a run.
#pragma once

#include <span>
#include <string>

#include "workloads/run/cluster_run.h"
#include "workloads/run/worker_run.h"

namespace verbena::workloads {

/// Adds what `worker`, which runs no more, has counted to the sums of `result`: commits, latencies
/// by kind (Workload::kinds), what was in flight and what came to nothing.
void add_worker(const WorkerRun& worker, std::span<const std::string> kinds, RunResult& result);

/// Time from the beginning of the measured window to the end of the interval that has the last
/// commit; 0 where there is none.
Nanoseconds last_commit(const WorkerRun& worker);

}  // namespace verbena::workloads
