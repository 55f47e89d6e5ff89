// Audits and checks over the records of the hosted nodes.
#include "workloads/run/cluster_at_rest.h"

#include <algorithm>

#include "workloads/run/audit.h"

namespace verbena::workloads {

Verification ClusterAtRest::verify(const std::vector<NodeId>& lost, const Workload& workload,
                                   rdma::Rendezvous& rendezvous, Nanoseconds timeout) const {
  FinalRecords records = final_records(lost);
  std::vector<NodeAudit> audits;
  std::vector<NodeId> hosted;
  for (const auto& node : nodes_) {
    // The records of a node that has died are gone.
    if (std::ranges::find(lost, node->endpoint.node()) != lost.end()) continue;
    std::int64_t change = node->changed_before;
    for (const WorkerRun& worker : node->workers) change += worker.committed_change;
    hosted.push_back(node->endpoint.node());
    audits.push_back(audit_node(node->participant->state(), records.at(hosted.back()),
                                records.view(), hosted.back(), workload, change));
  }
  return compare_audits(rendezvous, "audit", records.view(), hosted, audits, lost, timeout,
                        system_.quorums);
}

void ClusterAtRest::finish(HistoryCheck& check, const std::vector<NodeId>& lost) const {
  FinalRecords records = final_records(lost);
  check.finish(records.view(), [&](NodeId node) -> txn::StateAtRest& { return records.at(node); });
}

void ClusterAtRest::keep_published(HistoryCheck& check) const {
  check.keep_published(view_, [this](NodeId node) -> txn::StateAtRest& { return *state_of(node); });
}

std::vector<std::uint32_t> ClusterAtRest::published() const {
  for (const auto& node : nodes_) {
    std::vector<std::uint32_t> counts = node->participant->state().published();
    if (!counts.empty()) return counts;
  }
  return {};
}

txn::StateAtRest* ClusterAtRest::state_of(NodeId node) const {
  const auto found =
      std::ranges::find(nodes_, node, [](const auto& one) { return one->endpoint.node(); });
  return found == nodes_.end() ? nullptr : &(*found)->participant->state();
}

FinalRecords ClusterAtRest::final_records(const std::vector<NodeId>& lost) const {
  return {view_, system_, lost, [this](NodeId node) { return state_of(node); }};
}

}  // namespace verbena::workloads
