// Looking at a run from outside of its tasks, while these stand still.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"
#include "rdma/seam/fabric.h"
#include "txn/system_info.h"
#include "workloads/measure/run_window.h"
#include "workloads/run/cluster_run.h"
#include "workloads/run/history/history_check.h"
#include "workloads/run/hosted_node.h"
#include "workloads/run/resources/nic_interval.h"
#include "workloads/run/run_foresight.h"
#include "workloads/run/worker_run.h"

namespace verbena::workloads {

/// Returns the memory that the nodes' touched records have taken.
std::uint64_t touched_bytes(rdma::Fabric& fabric);

/// Watches a run whose tasks go by one clock (rdma::Fabric::has_one_clock): finds its window,
/// observes its NICs, follows the histories of its clients, and tells its progress. Elsewhere
/// workers tell what they can as they go on.
class RunWatch {
 public:
  /// Parts of the run; all outlive the watch.
  struct Run {
    rdma::Fabric& fabric;
    const RunOptions& options;
    const txn::SystemInfo& system;
    HostedNodes& nodes;
    RunWindow& window;
    NicInterval& nics;
    const WorkerRun& observer;  ///< one that runs transactions: its window is that of `nics`
    HistoryCheck* check;        ///< null: none
    RunForesight* foresight;    ///< null: none
  };

  explicit RunWatch(const Run& run) : run_(run) {}

  /// To be called by Fabric::look_between.
  void look(Nanoseconds now);

 private:
  /// Looks whether the window is known now, at this time since the workers' start.
  void find_window(Nanoseconds passed);

  Run run_;
  Nanoseconds follow_at_ = 0;
};

}  // namespace verbena::workloads
