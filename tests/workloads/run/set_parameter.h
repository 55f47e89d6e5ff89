// Setting the parameters of workloads and systems by their names.
#pragma once

#include <string>

#include "txn/system.h"
#include "workloads/workload_factory.h"

namespace verbena::testing {

/// Sets the parameter `name`, which `factory` must have, to what `value` says. Throws
/// ConfigurationError when that is not allowed.
void set_parameter(workloads::WorkloadFactory& factory, const std::string& name,
                   const std::string& value);

/// As above, of a system.
void set_parameter(txn::System& system, const std::string& name, const std::string& value);

}  // namespace verbena::testing
