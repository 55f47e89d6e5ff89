// Distributions of latencies in batches that follow one another in time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "rdma/base/histogram.h"
#include "rdma/base/time.h"
#include "workloads/measure/estimate.h"
#include "workloads/measure/latency_samples.h"

namespace verbena::workloads {

/// Latencies of a run, cut into kBatches batches of equal length: the share of those up to some
/// value differs from batch to batch as much as it varies over time, which tells how precise a
/// percentile is. How much the mean varies does not: few that take long move it, and no median.
class LatencyBatches {
 public:
  /// Adds those of a worker, whose window of its own clock is [from, until).
  void add(const LatencySamples& samples, Nanoseconds from, Nanoseconds until);

  /// Half of the 95 % interval of the share of latencies that do not exceed the percentile
  /// `fraction` (between 0 and 1) of all of them; nothing where there are no batches.
  std::optional<double> share_half_width(double fraction) const;

 private:
  using Counts = std::array<double, Histogram::kBuckets>;

  std::vector<Counts> batches_;  // none, or kBatches
};

}  // namespace verbena::workloads
