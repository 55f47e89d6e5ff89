// The simulated fabric: a cluster of RNICs behind the verbs seam, in one process, in simulated
// time.
#pragma once

#include <memory>
#include <string>

#include "rdma/seam/fabric.h"
#include "simnic/nic/sim_options.h"

namespace verbena::simnic {

/// Makes a simulated cluster, whose time starts at 0. Only one may exist in a process at a time,
/// since SimGrid's engine is one per process; they may follow each other. Everything runs on the
/// calling thread, but for tasks of different nodes with SimOptions::threads; those that share what
/// is not thread-safe, or change SimGrid's links, need `Fabric::keep_order`. `Fabric::run` throws
/// std::runtime_error when all cores idle for ever, and rethrows a task's exception. Throws
/// ConfigurationError for options or profiles that cannot be used.
///
/// Equal options and programs give equal runs, event by event, in every build; `trace_digest` shows
/// it.
std::unique_ptr<rdma::Fabric> make_sim_fabric(const SimOptions& options);

/// Returns the version of the SimGrid library that this process has loaded, such as "3.32".
std::string simgrid_version();

}  // namespace verbena::simnic
