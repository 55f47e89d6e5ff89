// Changes of NICs' counters between two moments of a run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "rdma/base/reached_points.h"
#include "rdma/base/time.h"
#include "rdma/seam/fabric.h"
#include "txn/view.h"
#include "workloads/run/resources/utilization.h"

namespace verbena::workloads {

/// Counters of the NICs of all hosted nodes over the measured interval, without set-up, warm-up and
/// drain. One observes for all: from outside of all tasks where that is possible
/// (rdma::Fabric::look_between); else a worker between its transactions, so that the ends of the
/// interval are exact to within one of these. Not thread-safe.
class NicInterval {
 public:
  using Counters = std::map<std::string, std::uint64_t>;

  explicit NicInterval(rdma::Fabric& fabric) : fabric_(fabric) {}

  /// Call it now and then. The interval is [from, end) of the caller's clock.
  void observe(Nanoseconds now, Nanoseconds from, Nanoseconds end) {
    if (now < from || end_) return;
    if (!begin_) {
      begin_ = total();
      begin_use_ = fabric_.use();
      length_ = end - now;
    }
    if (now < end) return;
    end_ = total();
    end_use_ = fabric_.use();
  }

  /// Restarts the interval at the next observation in it.
  void begin_again() { begin_.reset(); }

  /// Counts of the interval; until now if its end was not observed, empty if its beginning was not.
  Counters counters() const;

  /// Utilization of stations and cores in the interval. Empty where counters() is, except for links
  /// that were down, since then nothing ended that could have observed more. `roles`: see
  /// utilization_between.
  Utilization utilization(std::span<const txn::Role> roles = {}) const;

  /// Counters since the start of the fabric.
  Counters total() const;

 private:
  rdma::Fabric& fabric_;
  std::optional<Counters> begin_;
  std::optional<Counters> end_;
  rdma::FabricUse begin_use_;
  rdma::FabricUse end_use_;
  Nanoseconds length_ = 0;  // from the observed beginning to the interval's end
};

/// Adds the point "nic: NAME" for each counter that is not zero.
void reach_points(const NicInterval::Counters& counters, ReachedPoints& reached);

}  // namespace verbena::workloads
