// Distributions of latencies in batches that follow one another in time.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
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
  /// Numbers of latencies in each of the histogram's buckets.
  using Counts = std::array<double, Histogram::kBuckets>;

  /// No batches.
  LatencyBatches() = default;
  /// So many batches, kBatches or none, whose counts are known.
  explicit LatencyBatches(std::vector<Counts> batches) : batches_(std::move(batches)) {}

  /// Adds those of another part of the cluster, batch by batch.
  void merge(const LatencyBatches& other);

  const std::vector<Counts>& counts() const { return batches_; }

  /// Adds those of a worker, whose window of its own clock is [from, until).
  void add(const LatencySamples& samples, Nanoseconds from, Nanoseconds until);

  /// Half of the 95 % intervals of the shares of latencies up to the end of each of the
  /// histogram's buckets, where deviations last as long as `lasting` says (estimate_quotient);
  /// empty where there are no batches.
  std::vector<double> share_half_widths(double lasting) const;

 private:
  std::vector<Counts> batches_;  // none, or kBatches
};

/// The part of the longer ones in flight at one time that still are a batch later, of kBatches in
/// so many seconds: while few transactions last for long, all others find the same conditions.
/// `in_flight`: ages of what had not ended at the end.
double lasting_share(const Histogram& latencies, const Histogram& in_flight, double seconds);

}  // namespace verbena::workloads
