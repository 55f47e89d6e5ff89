// Workloads by their names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/workload_factory.h"

namespace verbena::workloads {

/// All workloads, the most usual first.
const std::vector<std::string>& workload_names();

/// A factory, with default parameters, of the workload called `name`. Throws ConfigurationError,
/// which names the nearest and all that there are, when there is none.
std::unique_ptr<WorkloadFactory> workload_factory(const std::string& name);

}  // namespace verbena::workloads
