// What one worker's transactions are measured by.
#pragma once

#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/metrics.h"
#include "txn/nam/measures.h"

namespace verbena::txn::nam {

/// Only what is decided, or counted, within a window of the core's clock counts. Belongs to the
/// worker's thread.
class WorkerMetrics {
 public:
  explicit WorkerMetrics(const SystemInfo& system) : metrics_(system) {}

  /// The window is [from, until).
  void measure(Nanoseconds from, Nanoseconds until) {
    from_ = from;
    until_ = until;
  }
  bool measured(Nanoseconds when) const { return when >= from_ && when < until_; }

  void count(Nanoseconds now, Counter counter, std::uint64_t by = 1) {
    if (measured(now)) metrics_.counters[static_cast<std::size_t>(counter)] += by;
  }
  void record(Nanoseconds now, Time name, Nanoseconds time) {
    if (measured(now)) metrics_.times[static_cast<std::size_t>(name)].record(time);
  }
  void record(Phase phase, Nanoseconds time) {
    metrics_.phases[static_cast<std::size_t>(phase)].record(time);
  }

  Metrics& metrics() { return metrics_; }

 private:
  Metrics metrics_;
  Nanoseconds from_ = 0;
  Nanoseconds until_ = 0;
};

}  // namespace verbena::txn::nam
