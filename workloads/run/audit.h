// The check after a run: totals, what the system and the workload find, replicas.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/seam/rendezvous.h"
#include "txn/state_at_rest.h"
#include "txn/view.h"
#include "workloads/run/cluster_run.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Findings of one node in its own memory when nothing runs any more. Totals are over the
/// partitions whose primary copies it holds, of records that may have changed.
struct NodeAudit {
  /// Errors: the system's, then Workload::inconsistencies where nothing is undecided.
  txn::SelfCheck check;
  std::vector<std::uint32_t> published = {};  ///< StateAtRest::published
  std::int64_t initial_total = 0;             ///< of Workload::amount
  std::int64_t final_total = 0;
  std::int64_t committed_change = 0;  ///< by this node's clients
};

/// Looks at what `node` holds, as `view` places it, in `state`, and at the final values of its
/// primary copies in `records`.
NodeAudit audit_node(txn::StateAtRest& state, txn::StateAtRest& records, const txn::View& view,
                     NodeId node, const Workload& workload, std::int64_t committed_change);

/// Adds what a partition's records contributed initially, and do now.
void add_totals(txn::StateAtRest& state, txn::PartitionId partition, const Workload& workload,
                NodeAudit& audit);

/// Compares the audits of all nodes of the cluster: exchanges them over `rendezvous` under `label`
/// (unique per run), so that it works alike whether a process hosts one node or all. `audits`
/// belong to `hosted`, in this order. Nodes that were `lost` tell nothing; what they had told their
/// clients of their last transactions nobody knows, so by how much totals should have changed is
/// not compared then. Copies of a partition of which two nodes tell are compared, as `view` places
/// them; so are commits that some node knows of with what is published.
/// With `quorums` (SystemInfo) a partition of which no node tells a digest is not compared.
Verification compare_audits(rdma::Rendezvous& rendezvous, const std::string& label,
                            const txn::View& view, const std::vector<NodeId>& hosted,
                            const std::vector<NodeAudit>& audits, const std::vector<NodeId>& lost,
                            Nanoseconds timeout, bool quorums = false);

}  // namespace verbena::workloads
