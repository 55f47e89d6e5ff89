// The check after a run: totals, self-checks of system and workload, replicas.
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

/// Findings of one node in its own memory when nothing runs any more. Totals are over records that
/// may have changed, in partitions whose primary copies it holds.
struct NodeAudit {
  /// Errors of the system, then, where nothing is undecided, of Workload::inconsistencies.
  txn::SelfCheck check;
  std::vector<std::uint32_t> published = {};  ///< StateAtRest::published
  std::int64_t initial_total = 0;             ///< of Workload::amount
  std::int64_t final_total = 0;
  std::int64_t committed_change = 0;  ///< by this node's clients
};

/// Audits the state of `node`, where `view` places the partitions, and the final values of its
/// primary copies in `records`.
NodeAudit audit_node(txn::StateAtRest& state, txn::StateAtRest& records, const txn::View& view,
                     NodeId node, const Workload& workload, std::int64_t committed_change);

/// Adds the initial and final amounts of a partition's records.
void add_totals(txn::StateAtRest& state, txn::PartitionId partition, const Workload& workload,
                NodeAudit& audit);

/// Compares the audits of all nodes of the cluster. Exchanges them over `rendezvous` under `label`
/// (unique per run), so that it works the same whether a process hosts one node or all. `audits`
/// belong to `hosted`, in this order. Compares copies of a partition that two nodes report (as
/// `view` places them), and commits that some node knows of with what is published. Nodes in `lost`
/// report nothing; the last transactions that they told their clients of are unknown, so the change
/// of totals is not compared then. With `quorums` (SystemInfo), partitions of which no node reports
/// a digest are not compared.
Verification compare_audits(rdma::Rendezvous& rendezvous, const std::string& label,
                            const txn::View& view, const std::vector<NodeId>& hosted,
                            const std::vector<NodeAudit>& audits, const std::vector<NodeId>& lost,
                            Nanoseconds timeout, bool quorums = false);

}  // namespace verbena::workloads
