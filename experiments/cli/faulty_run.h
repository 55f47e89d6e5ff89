// Runs in which nodes may die, and clusters that restart from what was saved.
#pragma once

#include <vector>

#include "experiments/config/commands/run.h"
#include "simnic/observe/observer.h"
#include "workloads/run/cluster_run.h"

namespace verbena::experiments {

struct FaultyRun {
  workloads::RunResult result;
  std::vector<NodeId> died;  ///< nodes killed on request, in this run or the one it restarts from
};

/// Throws ParameterError for a death at a point that the code does not have, or that the system
/// never reaches.
void check_points_of_deaths(const RunCommand& command);

/// Checks the deaths among `sets`, the settings that a command gives to all its measurements.
/// Values that are lists are not checked here but for each measurement.
void check_points_of_deaths(const std::vector<Assignment>& sets);

/// Makes the run of `command`, with `options` (those of the command, with the receivers of its
/// progress), and its deaths. With faults.restore it makes two runs: the first saves its state,
/// however it ends; the second restarts from that. The result is the second's, with an anomaly if
/// it lacks anything that clients of the first were told. `observer`, unless null, observes the
/// first. Throws as ClusterRun does; before PeerMissing it names the deaths.
FaultyRun run_with_faults(const RunCommand& command, const workloads::Workload& workload,
                          workloads::RunOptions options, simnic::Observer* observer);

}  // namespace verbena::experiments
