// What a run of transactions measured and verified, for a report.
#pragma once

#include <string>

#include "experiments/report/report.h"
#include "workloads/run/cluster_run.h"

namespace verbena::experiments {

/// The measurement `name`. Takes the counters of NICs out of `result`.
Measurement measurement_of(const std::string& name, workloads::RunResult& result);

/// What the checks said. `history_was_recorded`: whether the check of the promised isolation level
/// had something to check.
Verdict verdict_of(const workloads::RunResult& result, bool history_was_recorded);

}  // namespace verbena::experiments
