// Finds the writes of a workload's transactions before a run.
#pragma once

#include "rdma/worker.h"
#include "txn/past_writes.h"
#include "txn/view.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Finds the writes of transactions on the tables as loaded. `seed` determines the transactions.
/// `worker` may be any worker; it does nothing.
txn::PastWrites past_writes(const Workload& workload, const txn::View& view, rdma::Worker& worker,
                            std::uint64_t seed);

}  // namespace verbena::workloads
