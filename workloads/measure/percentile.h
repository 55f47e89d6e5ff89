// Percentiles with their 95 % intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "rdma/base/histogram.h"
#include "workloads/measure/estimate.h"

namespace verbena::workloads {

/// A percentile with its 95 % interval, which contains the true one in about 95 of 100 repetitions.
/// The interval includes the percentile's whole bucket of the histogram, since values within a
/// bucket are only assumed to be evenly spread.
struct PercentileEstimate {
  std::uint64_t value = 0;
  std::optional<std::uint64_t> low = {};   ///< nothing: no interval is known
  std::optional<std::uint64_t> high = {};  ///< nothing: the true one may exceed all values
};

/// Returns by what factor the variance of the mean of `values` exceeds that of independent values,
/// known from batches; at least 1. It exceeds it because neighbours in time are correlated.
double variance_inflation(const Histogram& values, const Estimate& mean);

/// Half the 95 % interval of the mean of `values`, with the given inflation of variance. Nothing
/// for fewer than two values.
std::optional<double> mean_half_width(const Histogram& values, double inflation);

/// Half the 95 % interval of the mean of `count` values, from their sum and the sum of their
/// squares.
std::optional<double> mean_half_width(double count, double sum, double squares, double inflation);

/// Half the 95 % interval of the share of values that do not exceed the percentile `fraction`
/// (between 0 and 1), for `count` values with the given inflation of variance (binomial
/// distribution).
double share_half_width(std::uint64_t count, double fraction, double inflation);

/// Inverse of share_half_width: the inflation that leads to `half_width`; at least 1.
double share_inflation(std::uint64_t count, double fraction, double half_width);

/// Estimates the percentile `fraction` (between 0 and 1). The interval's ends are the percentiles
/// at `fraction` - and + `share_half_width`. Nothing when there are too few values to bound it on
/// both sides.
std::optional<PercentileEstimate> estimate_percentile(const Histogram& values, double fraction,
                                                      double share_half_width);

/// Estimates the percentile from the precision of all shares: its interval has the values up to
/// which the share may be `fraction`. `share_half_widths` belong to the shares up to each bucket's
/// end; they count as at least those of independent values and, near the percentile and up to the
/// end of all values, as that at the percentile. The interval has no upper end where they bound
/// none.
std::optional<PercentileEstimate> estimate_percentile(const Histogram& values, double fraction,
                                                      std::span<const double> share_half_widths);

}  // namespace verbena::workloads
