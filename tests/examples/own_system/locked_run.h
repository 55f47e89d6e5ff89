// Short runs of a workload on partition locks.
#pragma once

#include <cstdint>
#include <string>

#include "tests/examples/own_system/partition_locks.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {

/// Four nodes, of which the last keep the partitions.
struct LockedRun {
  std::string workload;
  std::uint64_t seed = 1;
  bool chaos = false;
  PartitionLocks::Options system = {.memory_nodes = 2, .memory_workers = 1};
};

/// Runs and verifies, with the history.
workloads::RunResult run_locked(const LockedRun& asked);

}  // namespace verbena::testing
