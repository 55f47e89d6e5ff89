// Registration of TATP.
#pragma once

#include <memory>

#include "workloads/workload_factory.h"

namespace verbena::workloads {

std::unique_ptr<WorkloadFactory> tatp_factory();

}  // namespace verbena::workloads
