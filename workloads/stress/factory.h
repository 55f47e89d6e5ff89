// Registration of the stress workload.
#pragma once

#include <memory>

#include "workloads/workload_factory.h"

namespace verbena::workloads {

std::unique_ptr<WorkloadFactory> stress_factory();

}  // namespace verbena::workloads
