// Registration of SmallBank.
#pragma once

#include <memory>

#include "workloads/workload_factory.h"

namespace verbena::workloads {

std::unique_ptr<WorkloadFactory> smallbank_factory();

}  // namespace verbena::workloads
