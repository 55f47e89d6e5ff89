// Final records of a run, at nodes that were not lost.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "txn/state_at_rest.h"
#include "txn/system_info.h"
#include "txn/view.h"
#include "workloads/run/history/newest_at_rest.h"

namespace verbena::workloads {

/// Finds the final value of each record: at the partition's first holder that was not lost or, in
/// systems with quorums, in the copy with the greatest version in this process.
class FinalRecords {
 public:
  /// `state` returns a node's state; null for a node of another process.
  FinalRecords(const txn::View& view, const txn::SystemInfo& system,
               const std::vector<NodeId>& lost,
               const std::function<txn::StateAtRest*(NodeId node)>& state);

  /// Placement without lost holders. Valid as long as this object.
  const txn::View& view() const { return view_; }

  /// Records of the partitions whose first holder is `node`, a node of this process.
  txn::StateAtRest& at(NodeId node);

 private:
  const txn::View view_;
  const std::function<txn::StateAtRest*(NodeId node)> state_;
  std::map<NodeId, std::unique_ptr<NewestAtRest>> newest_;  // [first holder]
};

}  // namespace verbena::workloads
