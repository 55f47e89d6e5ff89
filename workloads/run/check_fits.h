// Refusals of what a run cannot do.
#pragma once

#include "txn/system_info.h"
#include "workloads/run/cluster_run.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Throws ConfigurationError if the system lacks what the workload needs, or a run of both cannot
/// be checked as `options` ask.
void check_fits(const txn::SystemInfo& system, const Workload& workload, const RunOptions& options);

}  // namespace verbena::workloads
