// Passing over the holders that were lost.
#include "workloads/run/history/final_records.h"

namespace verbena::workloads {

FinalRecords::FinalRecords(const txn::View& view, const txn::SystemInfo& system,
                           const std::vector<NodeId>& lost,
                           const std::function<txn::StateAtRest*(NodeId node)>& state)
    : view_(view.without(lost)), state_(state) {
  if (!system.quorums) return;
  for (std::uint32_t p = 0; p < view_.partitions(); ++p) {
    const auto partition = static_cast<txn::PartitionId>(p);
    const NodeId first = view_.primary(partition);
    if (newest_.contains(first) || state(first) == nullptr) continue;
    std::vector<txn::StateAtRest*> copies = {state(first)};
    for (const NodeId backup : view_.backups(partition)) {
      if (txn::StateAtRest* const copy = state(backup)) copies.push_back(copy);
    }
    newest_.emplace(first, std::make_unique<NewestAtRest>(std::move(copies)));
  }
}

txn::StateAtRest& FinalRecords::at(NodeId node) {
  const auto found = newest_.find(node);
  return found == newest_.end() ? *state_(node) : *found->second;
}

}  // namespace verbena::workloads
