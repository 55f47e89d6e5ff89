// The records that a run has left at nodes that were not lost.
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

/// Where the last values are: with the first holder of each partition that was not lost, or in
/// systems with quorums, with the copy of the greatest version of those that this process has.
class FinalRecords {
 public:
  /// `state` of a node; null of those that are not in this process.
  FinalRecords(const txn::View& view, const txn::SystemInfo& system,
               const std::vector<NodeId>& lost,
               const std::function<txn::StateAtRest*(NodeId node)>& state);

  /// Placement without the holders that were lost. Valid as long as this.
  const txn::View& view() const { return view_; }

  /// The records of the partitions whose first holder `node`, one of this process, is.
  txn::StateAtRest& at(NodeId node);

 private:
  const txn::View view_;
  const std::function<txn::StateAtRest*(NodeId node)> state_;
  std::map<NodeId, std::unique_ptr<NewestAtRest>> newest_;  // [first holder]
};

}  // namespace verbena::workloads
