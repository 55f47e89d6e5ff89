// Refuses runs that the system cannot make.
#pragma once

#include "txn/system_info.h"
#include "workloads/run/cluster_run.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Throws ConfigurationError if the system lacks a feature that the workload needs, or if the run
/// cannot be checked as `options` ask.
void check_fits(const txn::SystemInfo& system, const Workload& workload, const RunOptions& options);

}  // namespace verbena::workloads
