// Gathers the results of a cluster's processes in one of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/seam/fabric.h"
#include "workloads/run/cluster_run.h"

namespace verbena::workloads {

/// In the process of node 0, waits at most `timeout` for the results of each other process and adds
/// them to `result`, which then covers the whole cluster: sums, merged distributions, all errors.
/// In other processes, waits until that is done. Does nothing where one process hosts all nodes.
/// Throws PeerMissing for a process that sends nothing; in other processes, with the reason for the
/// end of node 0's.
void gather(rdma::Fabric& fabric, RunResult& result, Nanoseconds timeout);

/// Encodes the parts of a result that other processes need, and decodes them. Both processes must
/// run the same program with the same configuration; decoding throws Malformed for anything else.
std::vector<std::byte> bytes_of(const RunResult& result);
RunResult result_of(std::span<const std::byte> bytes);

}  // namespace verbena::workloads
