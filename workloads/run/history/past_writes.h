// The writes of a workload's transactions, found out before a run.
#pragma once

#include "rdma/worker.h"
#include "txn/past_writes.h"
#include "txn/view.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Finds the writes of transactions that begin on the tables as they are loaded. `seed` draws them;
/// any worker will do, and is not used.
txn::PastWrites past_writes(const Workload& workload, const txn::View& view, rdma::Worker& worker,
                            std::uint64_t seed);

}  // namespace verbena::workloads
