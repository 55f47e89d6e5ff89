// Converts results of a run of transactions, and of its checks, for a report.
#pragma once

#include <string>

#include "experiments/report/result/report.h"
#include "workloads/run/cluster_run.h"

namespace verbena::experiments {

/// Makes the measurement `name`. Moves the counters of NICs and the utilization out of `result`.
Measurement measurement_of(const std::string& name, workloads::RunResult& result);

/// Makes the verdict of the checks.
Verdict verdict_of(const workloads::RunResult& result);

}  // namespace verbena::experiments
