// Percentiles with their 95 % intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "rdma/base/histogram.h"
#include "workloads/measure/estimate.h"

namespace verbena::workloads {

/// A percentile, and between what the true one lies in about 95 of 100 repetitions. All of the
/// percentile's bucket of the histogram lies there, too: in it values are only taken for evenly
/// spread.
struct PercentileEstimate {
  std::uint64_t value = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// How many times more the mean of `values` varies than that of as many independent ones would, by
/// what is known of it from batches; at least 1. Neighbours in time are alike, so fewer of them
/// count.
double variance_inflation(const Histogram& values, const Estimate& mean);

/// Half of the 95 % interval of the mean of `values`, which vary as `inflation` says; nothing of
/// fewer than two.
std::optional<double> mean_half_width(const Histogram& values, double inflation);

/// The same for `count` values with this sum of their own and of their squares.
std::optional<double> mean_half_width(double count, double sum, double squares, double inflation);

/// Half of the 95 % interval of the share of values that do not exceed their percentile `fraction`
/// (between 0 and 1), for so many values that vary as `inflation` says (binomial distribution).
double share_half_width(std::uint64_t count, double fraction, double inflation);

/// The inverse of that: the inflation which leads to `half_width`; at least 1.
double share_inflation(std::uint64_t count, double fraction, double half_width);

/// The value that `fraction` (between 0 and 1) of the values do not exceed, with the values that as
/// many less, or more, than `share_half_width` do not exceed. Nothing when there are too few to
/// bound it on both sides.
std::optional<PercentileEstimate> estimate_percentile(const Histogram& values, double fraction,
                                                      double share_half_width);

/// The same with the values up to which the share of values may be `fraction`, as far as it is
/// known up to each of them: `share_half_widths` are of the shares up to each bucket's end. They
/// count as no less than those of independent values, and near the percentile as its own.
std::optional<PercentileEstimate> estimate_percentile(const Histogram& values, double fraction,
                                                      std::span<const double> share_half_widths);

}  // namespace verbena::workloads
