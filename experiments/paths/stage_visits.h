// Visits of one stage of a request, as an observer receives them.
#pragma once

#include <vector>

#include "experiments/paths/part.h"
#include "experiments/paths/way.h"
#include "rdma/base/types.h"
#include "simnic/observe/observer.h"

namespace verbena::experiments {

/// The worker from whose view places are named.
struct Viewpoint {
  NodeId node;
  WorkerId worker;
  std::uint32_t nics_per_node;

  Place core(NodeId other, WorkerId other_worker) const {
    return other == node && other_worker == worker ? Place::kOwnCore : Place::kOtherCore;
  }
  /// `nic` is a number over the whole cluster.
  Place nic(std::uint32_t nic) const {
    return nic / nics_per_node == node ? Place::kOwnNic : Place::kOtherNic;
  }
};

/// Collects visits until the end of a stage.
class StageVisits {
 public:
  void begin(simnic::Stage stage, Picoseconds time);
  void on_core(NodeId node, WorkerId worker);
  void visit(const simnic::Visit& visit) { visits_.push_back(visit); }

  simnic::Stage stage() const { return stage_; }

  /// Extends `way`, which has reached the stage's begin, to its end at `time`: first the longest
  /// wait, of length `wait`, then the stations. The remainder is a wait for earlier requests at the
  /// NIC `ordering`.
  void append_to(Way& way, const Viewpoint& from, std::uint32_t ordering, Picoseconds wait,
                 Picoseconds time) const;

 private:
  const simnic::Visit* queued_longest(Picoseconds wait) const;
  Place place_of(const simnic::Visit& visit, const Viewpoint& from) const;

  simnic::Stage stage_ = simnic::Stage::kPost;
  Picoseconds begin_ = 0;
  NodeId node_ = 0;
  WorkerId worker_ = 0;
  std::vector<simnic::Visit> visits_;
};

}  // namespace verbena::experiments
