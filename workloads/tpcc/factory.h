// Registration of TPC-C.
#pragma once

#include <memory>

#include "workloads/workload_factory.h"

namespace verbena::workloads {

/// The full mix.
std::unique_ptr<WorkloadFactory> tpcc_factory();

/// The DrTM+H paper's TPC-C/no: new orders only.
std::unique_ptr<WorkloadFactory> tpcc_new_order_factory();

}  // namespace verbena::workloads
