// What users may set of workloads: keys workload.NAME, and flags of their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/config/options.h"
#include "experiments/config/tuning.h"
#include "workloads/workload_factory.h"

namespace verbena::experiments {

/// The parameters of all workloads that have no flag of their own.
std::vector<OverrideKey> workload_keys();

/// Throws ConfigurationError unless a workload has `key`, one of workload_keys(), and takes
/// `value`.
void check_workload_key(const std::string& key, const std::string& value);

/// The factory of the workload of `options`, with what was set. Throws ConfigurationError for
/// parameters that it has not, which names the workloads that have them, and for values that do not
/// fit it or the cluster.
std::unique_ptr<workloads::WorkloadFactory> chosen_workload(const Options& options);

}  // namespace verbena::experiments
