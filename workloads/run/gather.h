// Results of the processes of a cluster, told by one of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/seam/fabric.h"
#include "workloads/run/cluster_run.h"

namespace verbena::workloads {

/// Waits, in the process that hosts node 0, for what each of the others has measured and verified,
/// for at most `timeout`, and adds it to `result`, which then is of the whole cluster: sums, merged
/// distributions, errors of all. Waits, in the others, until that has done so. Does nothing where
/// one process hosts all nodes. Throws PeerMissing for a process that tells nothing, in the others
/// with the reason for which that of node 0 has ended.
void gather(rdma::Fabric& fabric, RunResult& result, Nanoseconds timeout);

/// Parts of a result that other processes need, and the inverse, of a process that runs the same
/// program and was told the same; throws Malformed for anything else.
std::vector<std::byte> bytes_of(const RunResult& result);
RunResult result_of(std::span<const std::byte> bytes);

}  // namespace verbena::workloads
