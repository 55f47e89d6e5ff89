// Distributions of latencies in successive batches.
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

/// Latencies of a run, cut into kBatches batches of equal time. The share of latencies up to a
/// value differs between batches as it varies over time, which gives the precision of a percentile.
/// The variance of the mean does not: a few long latencies change the mean but no median.
class LatencyBatches {
 public:
  /// Numbers of latencies in each of the histogram's buckets.
  using Counts = std::array<double, Histogram::kBuckets>;

  /// Creates an object without batches.
  LatencyBatches() = default;
  /// Creates kBatches batches, or none, with known counts and squares.
  LatencyBatches(std::vector<Counts> batches, double squares)
      : batches_(std::move(batches)), squares_(squares) {}

  /// Adds the batches of another part of the cluster, batch by batch.
  void merge(const LatencyBatches& other);

  const std::vector<Counts>& counts() const { return batches_; }
  /// Sum of the squared numbers of latencies that samples stand for.
  double squares() const { return squares_; }

  /// Adds the latencies of a worker whose window is [from, until) of its own clock.
  void add(const LatencySamples& samples, Nanoseconds from, Nanoseconds until);

  /// Half the 95 % intervals of the shares of latencies up to the end of each of the histogram's
  /// buckets. `lasting` is as for estimate_quotient. Empty where there are no batches.
  std::vector<double> share_half_widths(double lasting) const;

  /// Returns the factor by which the variance of the share of latencies up to either end of
  /// `bucket` exceeds that of independent latencies, as far as batches differ by more than chance
  /// and thinned out samples; at least 1.
  double proven_inflation(std::size_t bucket) const;

 private:
  std::vector<Counts> batches_;  // none, or kBatches
  double squares_ = 0;
};

/// Share of the longer transactions in flight at one time that are still in flight a batch later,
/// where kBatches batches take `seconds`. As long as few transactions last longer, all others find
/// the same conditions. `in_flight`: ages of transactions that had not ended at the end.
double lasting_share(const Histogram& latencies, const Histogram& in_flight, double seconds);

}  // namespace verbena::workloads
