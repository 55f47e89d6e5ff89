// Counters of NICs between two instants of a run.
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

/// Counters of the NICs of all nodes that a process hosts, over the measured interval: without
/// set-up, warm-up and drain. One worker observes for all of them, between its transactions, so the
/// interval's ends are exact but for one transaction of one worker. Not thread-safe.
class NicInterval {
 public:
  using Counters = std::map<std::string, std::uint64_t>;

  explicit NicInterval(rdma::Fabric& fabric) : fabric_(fabric) {}

  /// To be called now and then; the interval is [from, end) of the caller's clock.
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

  /// Has the interval begin at another time than was observed.
  void begin_again() { begin_.reset(); }

  /// Counts of the interval; until now when its end was not observed, none when its beginning was
  /// not.
  Counters counters() const;

  /// How busy stations and cores were in the interval; empty where counters() has nothing, but
  /// for links that were down: then nothing has ended that could have observed more. `roles`:
  /// see utilization_between.
  Utilization utilization(std::span<const txn::Role> roles = {}) const;

  /// Counts since the start of the fabric.
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
