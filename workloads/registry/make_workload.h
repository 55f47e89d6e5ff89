// Workloads by their names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/smallbank/smallbank.h"
#include "workloads/tatp/options.h"
#include "workloads/tpcc/options.h"
#include "workloads/tpce/options.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// The parameters of all workloads; each takes its own.
struct WorkloadOptions {
  SmallBankOptions smallbank;
  TpccOptions tpcc;  ///< of tpcc and tpcc-no
  TpceOptions tpce;
  TatpOptions tatp;
};

/// What make_workload knows.
std::vector<std::string> workload_names();

/// The workload called `name` for a cluster of `nodes` with `workers` each. Throws
/// ConfigurationError for a name that is unknown, and for options that do not fit the cluster.
std::unique_ptr<Workload> make_workload(const std::string& name, std::uint32_t nodes,
                                        std::uint32_t workers, const WorkloadOptions& options);

}  // namespace verbena::workloads
