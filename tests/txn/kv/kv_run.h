// Short runs on key-value stores, and other systems whose servers keep one copy of each record.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/reached_points.h"
#include "rdma/seam/crash_point.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {

/// One such run. Its tables are small, so that transactions meet.
struct KvRun {
  std::string system = "prism-kv";
  std::string workload = "ycsb";
  std::uint64_t seed = 1;
  std::uint32_t nodes = 3;
  bool chaos = true;
  std::string loss = "0";
  std::vector<std::pair<std::string, std::string>> of_workload = {};
  std::vector<std::pair<std::string, std::string>> of_system = {};  ///< "prism.spares"
  std::vector<std::pair<std::string, std::string>> of_fabric = {};
  Nanoseconds duration = kMillisecond;
  std::uint64_t max_transactions = 0;  ///< of each coroutine; 0: as many as there is time for
  Nanoseconds patience = 100 * kMillisecond;
  std::uint32_t notify_window = 64;  ///< of notifications to one peer
  std::vector<rdma::CrashPoint*> crashes = {};
  ReachedPoints* reached = nullptr;
};

/// Settings by which the death of a client is found soon, and nobody who is alive is silent for so
/// long.
std::vector<std::pair<std::string, std::string>> found_soon();

workloads::RunResult run_kv(const KvRun& asked);

/// The error of a run that is refused; "nothing": it is not.
std::string refusal(const KvRun& run);

/// The first error that the checks after the run found; empty: none.
std::string what_is_wrong(const workloads::RunResult& result);

/// How often an event that the system counts came.
std::uint64_t counted(const workloads::RunResult& result, const std::string& counter);

}  // namespace verbena::testing
