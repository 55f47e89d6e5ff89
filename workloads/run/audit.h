// The check after a run: money, locks, indexes, replicas.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/seam/rendezvous.h"
#include "txn/store/store.h"
#include "workloads/run/cluster_run.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// What one node finds in its own memory about the partition copies that it holds, when nothing
/// runs any more. Digests are order-independent sums over the records that changed, so a copy whose
/// untouched pages were never filled has the same digest as one that was filled completely.
struct NodeAudit {
  std::vector<std::uint64_t>
      copy_digests;                ///< by copy; of what committed transactions have changed
  std::int64_t initial_total = 0;  ///< of Workload::amount, over the primary copy's touched records
  std::int64_t final_total = 0;
  std::int64_t committed_change = 0;  ///< by this node's clients
  std::uint64_t records = 0;          ///< looked at, in all copies
  std::vector<std::string> errors;    ///< wrong records and indexes (TableAudit), and
                                      ///< Workload::inconsistencies
};

/// Looks at all records of `store`, whose tables are `workload`'s, on pages that were ever touched.
NodeAudit audit_store(txn::Store& store, const Workload& workload, std::int64_t committed_change);

/// Compares the audits of all nodes of the cluster: exchanges them over `rendezvous` under `label`
/// (unique per run), so that it works alike whether a process hosts one node or all. `audits`
/// belong to `hosted`, in this order.
Verification compare_audits(rdma::Rendezvous& rendezvous, const std::string& label,
                            const txn::Placement& placement, const std::vector<NodeId>& hosted,
                            const std::vector<NodeAudit>& audits, Nanoseconds timeout);

}  // namespace verbena::workloads
