// State of a cluster's nodes after its workers have ended, and checks of it.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/seam/rendezvous.h"
#include "txn/state_at_rest.h"
#include "txn/system_info.h"
#include "txn/view.h"
#include "workloads/run/cluster_run.h"
#include "workloads/run/history/final_records.h"
#include "workloads/run/history/history_check.h"
#include "workloads/run/hosted_node.h"

namespace verbena::workloads {

/// The nodes of this process, with partitions placed as `view` says. Keeps references to its
/// arguments. Call it only while no worker runs.
class ClusterAtRest {
 public:
  ClusterAtRest(const HostedNodes& nodes, const txn::View& view, const txn::SystemInfo& system)
      : nodes_(nodes), view_(view), system_(system) {}

  /// Audits the nodes that were not lost, and compares the results with those of other processes,
  /// waiting at most `timeout` for each. Throws PeerMissing.
  Verification verify(const std::vector<NodeId>& lost, const Workload& workload,
                      rdma::Rendezvous& rendezvous, Nanoseconds timeout) const;

  /// Completes the check of a history with the records of nodes that were not lost.
  void finish(HistoryCheck& check, const std::vector<NodeId>& lost) const;

  /// Makes `check` treat as committed what these nodes hold as published.
  void keep_published(HistoryCheck& check) const;

  /// Counts of commits that a node of this process publishes; empty if none does.
  std::vector<std::uint32_t> published() const;

 private:
  txn::StateAtRest* state_of(NodeId node) const;
  FinalRecords final_records(const std::vector<NodeId>& lost) const;

  const HostedNodes& nodes_;
  const txn::View& view_;
  const txn::SystemInfo& system_;
};

}  // namespace verbena::workloads
