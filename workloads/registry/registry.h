// Workloads by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/workload_factory.h"

namespace verbena::workloads {

/// Names of all workloads, the most common first.
const std::vector<std::string>& workload_names();

/// Makes a factory, with default parameters, of the workload called `name`. Throws
/// ConfigurationError, which names the nearest and all workloads, for an unknown name.
std::unique_ptr<WorkloadFactory> workload_factory(const std::string& name);

}  // namespace verbena::workloads
