// Measurements of one worker's transactions: metrics of the measured window, and the history.
#pragma once

#include <cstdint>

#include "rdma/worker.h"
#include "txn/check/history.h"
#include "txn/occ/node/measures.h"
#include "txn/worker_metrics.h"

namespace verbena::txn::occ {

/// Counts events by the turn of the event loop in which they happen. Records the history throughout
/// the run. Belongs to the worker's thread.
class Measurements : public WorkerMetrics<Phase, Counter> {
 public:
  /// `worker` must outlive it.
  Measurements(rdma::Worker& worker, const SystemInfo& system, bool with_history)
      : WorkerMetrics(system), worker_(worker), with_history_(with_history) {}

  void count(Counter counter, std::uint64_t by = 1) {
    WorkerMetrics::count(worker_.turn_began(), counter, by);
  }
  void count_served(Phase phase, const Served& one) { serve(worker_.turn_began(), phase, one); }

  /// History; null if none is recorded.
  History* history() { return with_history_ ? &history_ : nullptr; }

 private:
  rdma::Worker& worker_;
  History history_;
  bool with_history_;
};

}  // namespace verbena::txn::occ
