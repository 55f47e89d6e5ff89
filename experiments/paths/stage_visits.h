// One stage of a request's way, as an observer is told of it.
#pragma once

#include <vector>

#include "experiments/paths/part.h"
#include "experiments/paths/way.h"
#include "rdma/base/types.h"
#include "simnic/observer.h"

namespace verbena::experiments {

/// The worker from which places are looked at.
struct Viewpoint {
  NodeId node;
  WorkerId worker;
  std::uint32_t nics_per_node;

  Place core(NodeId other, WorkerId other_worker) const {
    return other == node && other_worker == worker ? Place::kOwnCore : Place::kOtherCore;
  }
  /// `nic` counts over the cluster.
  Place nic(std::uint32_t nic) const {
    return nic / nics_per_node == node ? Place::kOwnNic : Place::kOtherNic;
  }
};

/// Collects visits until the stage's end.
class StageVisits {
 public:
  void begin(simnic::Stage stage, Picoseconds time);
  void on_core(NodeId node, WorkerId worker);
  void visit(const simnic::Visit& visit) { visits_.push_back(visit); }

  simnic::Stage stage() const { return stage_; }

  /// Continues `way`, which has reached the stage's begin, to its end at `time`: with the longest
  /// wait, which is `wait`, then the stations, then what remains, which is, at the NIC `ordering`,
  /// for earlier requests.
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
