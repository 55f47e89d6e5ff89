// `verbena run`, configured.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/config/keys/fabric_command.h"
#include "experiments/config/keys/series_options.h"
#include "rdma/base/time.h"
#include "txn/system.h"
#include "workloads/run/cluster_run.h"
#include "workloads/workload_factory.h"

namespace verbena::experiments {

/// PrecisionGoal::most_commits of `run --verify`: enough to verify, and the history of long
/// transactions still fits the memory.
inline constexpr std::uint64_t kVerifiedCommits = 100000;

/// Where a node is to die, see rdma::CrashPoint.
struct CrashOptions {
  std::uint32_t node = 0;
  std::string point;  ///< empty: none dies
  std::uint64_t count = 1;
  Nanoseconds late = 0;
};

struct RunCommand : FabricCommand {
  SeriesOptions series;
  /// Options of each measurement of a series; all else then is as in the first.
  std::vector<RunCommand> measurements;

  std::string system = "drtmh";                ///< name, or path of a file
  std::shared_ptr<txn::System> loaded_system;  ///< `system`, with its parameters
  std::string plan_changes;                    ///< see txn::System::change
  std::string workload = "smallbank";
  std::shared_ptr<workloads::WorkloadFactory> factory;  ///< of `workload`, with its parameters
  double precision_percent = 1;                         ///< see workloads::PrecisionGoal
  bool explain = false;                                 ///< find out where latencies go
  CrashOptions crash;
  workloads::RunOptions run;  ///< complete, but for whom to tell its progress
  CrashOptions second_crash;  ///< as late as the first
  bool restores = false;      ///< it begins again with what it has saved

  void load() override;
  Keys keys() override;
  void set_defaults() override;
  void derive(const Said& said) override;
  void check(const Said& said) override;
  void complete() override;
};

/// Size of the cluster as the workload sees it: the partitions are the system's. Throws
/// ConfigurationError when the cluster does not suit the system.
workloads::ClusterSize workload_size(const RunCommand& command);

/// True if the system can save what it holds, and begin from that (parameters `checkpoints` and
/// `restore`).
bool can_restore(const RunCommand& command);

/// Has a system that can_restore save into `checkpoints` and begin from `restore`, directories; ""
/// for none.
void save_and_restore(const RunCommand& command, const std::string& checkpoints,
                      const std::string& restore);

}  // namespace verbena::experiments
