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

/// Value of PrecisionGoal::most_commits for `run --verify`: enough to verify, and few enough that
/// the history of long transactions fits the memory.
inline constexpr std::uint64_t kVerifiedCommits = 100000;

/// The point at which a node is to die, see rdma::CrashPoint.
struct CrashOptions {
  std::uint32_t node = 0;
  std::string point;  ///< empty: none dies
  std::uint64_t count = 1;
  Nanoseconds late = 0;
};

struct RunCommand : FabricCommand {
  SeriesOptions series;
  /// Options of each measurement of a series. The other members are then those of the first
  /// measurement.
  std::vector<RunCommand> measurements;

  std::string system = "drtmh";                ///< name, or path of a file
  std::shared_ptr<txn::System> loaded_system;  ///< `system`, with its parameters
  std::string plan_changes;                    ///< see txn::System::change
  std::string workload = "smallbank";
  std::shared_ptr<workloads::WorkloadFactory> factory;  ///< of `workload`, with its parameters
  double precision_percent = 1;                         ///< see workloads::PrecisionGoal
  std::string max_memory = "auto";                      ///< see parse_memory_size
  bool explain = false;                                 ///< find out where latencies go
  CrashOptions crash;
  workloads::RunOptions run;  ///< complete, except for the receivers of progress
  CrashOptions second_crash;  ///< with the same `late` as the first
  bool restores = false;      ///< restarts from what it has saved

  Keys first_keys() override;
  void load() override;
  Keys keys() override;
  void set_defaults() override;
  void derive(const Said& said) override;
  void check(const Said& said) override;
  void complete() override;
};

/// Returns the size of the cluster as the workload sees it; the system determines the partitions.
/// Throws ConfigurationError when the cluster does not suit the system.
workloads::ClusterSize workload_size(const RunCommand& command);

/// True if the system can save its state and restart from it (parameters `checkpoints` and
/// `restore`).
bool can_restore(const RunCommand& command);

/// Makes a system that can_restore save into the directory `checkpoints` and begin from the
/// directory `restore`; "" stands for none.
void save_and_restore(const RunCommand& command, const std::string& checkpoints,
                      const std::string& restore);

}  // namespace verbena::experiments
