// Short runs of any workload on any system, with tables so small that transactions meet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/test_fabric.h"
#include "txn/apart_workers.h"
#include "txn/plan/plan.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {

/// Nodes of two workers.
struct SmallRun {
  txn::Plan plan = txn::plan_preset("drtmh");
  std::string workload = "smallbank";
  std::uint64_t seed = 1;
  double ud_loss = 0.01;  ///< of the simulated fabric; as many come twice, or late
  bool chaos = false;     ///< interleavings of single cache lines
  /// The other ways to log and to send that figures are measured with: the log goes whole, to the
  /// coordinator's own backups too, and again by message; messages leave at once; polls take up to
  /// 64, and turns of the event loop resume all fibers that are ready; new orders of TPC-C place
  /// their lines one by one.
  bool as_published = false;
  Nanoseconds duration = 2 * kMillisecond;
  std::uint32_t nodes = 3;
  std::uint32_t servers = 0;  ///< of them, the others are clients; 0: all are both, three replicas
  txn::ApartWorkers workers = {};  ///< of either, where they are apart
  /// Beyond those of the workload's small tables, by name.
  std::vector<std::pair<std::string, std::string>> parameters = {};
};

/// Runs and verifies, with the history.
workloads::RunResult run_small(const SmallRun& run);

/// First error that the verification or the history check found; empty: none.
std::string first_error(const workloads::RunResult& result);

/// Attempts that ended by a conflict.
std::uint64_t conflicts(const workloads::RunResult& result);

}  // namespace verbena::testing
