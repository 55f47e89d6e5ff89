// Measures of one worker's transactions, within a window of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rdma/base/time.h"
#include "txn/metrics.h"

namespace verbena::txn {

/// The `Time` of systems whose durations are all of phases.
enum class NoTime : std::uint8_t {};

/// Metrics of what is decided, or counted, within a window of the core's clock. `Phase`, `Counter`
/// and `Time` are enumerations by the indices of the system's SystemInfo. Belongs to the worker's
/// thread.
template <typename Phase, typename Counter, typename Time = NoTime>
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
  /// A handler did something for a phase.
  void serve(Nanoseconds now, Phase phase, const Served& one) {
    if (measured(now)) metrics_.served[static_cast<std::size_t>(phase)].merge(one);
  }
  /// An attempt was decided: it has committed, or was given up for `cause`.
  void decide(Nanoseconds now, std::optional<AbortCause> cause) {
    if (!measured(now)) return;
    if (cause) {
      metrics_.count(*cause);
    } else {
      ++metrics_.committed;
    }
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

}  // namespace verbena::txn
