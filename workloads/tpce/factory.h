// Registration of TPC-E's customer-position.
#pragma once

#include <memory>

#include "workloads/workload_factory.h"

namespace verbena::workloads {

std::unique_ptr<WorkloadFactory> tpce_factory();

}  // namespace verbena::workloads
