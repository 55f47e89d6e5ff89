// Runs in which nodes may die, and which may begin again.
#pragma once

#include <vector>

#include "experiments/config/commands/run.h"
#include "simnic/observer.h"
#include "workloads/run/cluster_run.h"

namespace verbena::experiments {

struct FaultyRun {
  workloads::RunResult result;
  std::vector<NodeId> died;  ///< as was asked for, in this run or in what it begins with
};

/// Throws ParameterError for a death at a point that the code does not have, or to which the system
/// never comes.
void check_points_of_deaths(const RunCommand& command);

/// The same of deaths among `sets`, which a command gives to all that it measures; values that are
/// lists are left to each measurement.
void check_points_of_deaths(const std::vector<Assignment>& sets);

/// The run that `command` asks for, with `options` (those of the command, and whom to tell of it),
/// and the deaths that it asks for. With faults.restore it is two: the cluster that was begun, and
/// one that begins with what that had saved, whatever ended it; the result is the second's, with
/// an anomaly if anything is missing that clients of the first had been
/// told. `observer`, unless null, is told of the first. Throws what ClusterRun does; where that is
/// PeerMissing, the deaths are named before.
FaultyRun run_with_faults(const RunCommand& command, const workloads::Workload& workload,
                          workloads::RunOptions options, simnic::Observer* observer);

}  // namespace verbena::experiments
