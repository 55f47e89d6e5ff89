// Measurements of one worker's transactions: metrics of the measured window, and the history.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/check/history.h"
#include "txn/metrics.h"
#include "txn/occ/node/measures.h"

namespace verbena::txn::occ {

/// Records metrics within a window of the core's clock: of transactions that are decided in it, and
/// of counted events by the turn of the event loop in which they happen. Records the history
/// throughout the run. Belongs to the worker's thread.
class Measurements {
 public:
  /// `worker` must outlive it.
  Measurements(rdma::Worker& worker, const SystemInfo& system, bool with_history)
      : worker_(worker), metrics_(system), with_history_(with_history) {}

  /// Sets the window to [from, until).
  void measure(Nanoseconds from, Nanoseconds until) {
    from_ = from;
    until_ = until;
  }
  bool measured(Nanoseconds when) const { return when >= from_ && when < until_; }

  void count(Counter counter, std::uint64_t by = 1) {
    if (measured(worker_.turn_began())) metrics_.counters[static_cast<std::size_t>(counter)] += by;
  }
  void count_served(Phase phase, const Served& one) {
    if (measured(worker_.turn_began())) metrics_.served[static_cast<std::size_t>(phase)].merge(one);
  }

  Metrics& metrics() { return metrics_; }
  /// History; null if none is recorded.
  History* history() { return with_history_ ? &history_ : nullptr; }

 private:
  rdma::Worker& worker_;
  Metrics metrics_;
  History history_;
  Nanoseconds from_ = 0;
  Nanoseconds until_ = 0;
  bool with_history_;
};

}  // namespace verbena::txn::occ
