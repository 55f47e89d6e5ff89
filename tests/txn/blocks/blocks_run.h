// Short runs on replicated blocks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/reached_points.h"
#include "rdma/seam/crash_point.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {

/// One such run, by default of two clients and three replicas, and of few blocks, so that
/// transactions meet.
struct BlocksRun {
  std::string system = "abdlock";
  std::uint64_t seed = 1;
  std::uint32_t nodes = 5;
  std::uint32_t replicas = 3;
  std::uint32_t nics = 1;
  std::uint32_t fibers = 4;
  bool chaos = true;
  bool software = false;
  std::string loss = "0";
  std::vector<std::pair<std::string, std::string>> of_workload = {};
  std::vector<std::pair<std::string, std::string>> of_system = {};  ///< "lock_backoff"
  Nanoseconds duration = kMillisecond;
  std::uint64_t max_transactions = 0;
  Nanoseconds patience = 100 * kMillisecond;
  std::vector<rdma::CrashPoint*> crashes = {};
  ReachedPoints* reached = nullptr;
  std::vector<workloads::Unfinished>* unfinished = nullptr;
  std::uint32_t notify_window = 64;  ///< of notifications to one peer
};

workloads::RunResult run_blocks(const BlocksRun& asked);

/// The first error that the checks after the run found; empty: none.
std::string first_error(const workloads::RunResult& result);

/// How often an event that the system counts came.
std::uint64_t counted(const workloads::RunResult& result, const std::string& counter);

}  // namespace verbena::testing
