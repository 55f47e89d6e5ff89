// Registration of YCSB.
#pragma once

#include <memory>

#include "workloads/workload_factory.h"

namespace verbena::workloads {

std::unique_ptr<WorkloadFactory> ycsb_factory();

}  // namespace verbena::workloads
