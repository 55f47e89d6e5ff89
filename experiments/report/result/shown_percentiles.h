// The percentiles of latencies that are reported, and the conditions for it.
#pragma once

#include <array>
#include <optional>

#include "experiments/report/result/report.h"
#include "workloads/measure/percentile.h"

namespace verbena::experiments {

struct ShownPercentile {
  double fraction;
  const char* head;  ///< in tables
  const char* name;  ///< in documents
};

inline constexpr std::array<ShownPercentile, 4> kShownPercentiles = {
    {{0.5, "p50", "p50"}, {0.9, "p90", "p90"}, {0.99, "p99", "p99"}, {0.999, "p99.9", "p999"}}};

/// Inflation of the mean's variance, see workloads::variance_inflation. Nothing where the mean has
/// no interval, since too little was measured.
std::optional<double> inflation_of(const Measurement& measurement);

/// True if there are enough values, taken as independent, to bound that percentile.
bool is_bounded(const Histogram& values, double fraction);

/// A percentile of the latencies with its interval, from batches; without one where there are no
/// batches, since processes measured for different times. Nothing when there are too few values to
/// bound it, or the mean of batches has no interval: it is then withheld in tables, documents,
/// series, plots and pages.
std::optional<workloads::PercentileEstimate> percentile_of(const Measurement& measurement,
                                                           const ShownPercentile& shown);

/// A percentile of other times, such as those of phases, which are assumed to be correlated in time
/// like the latencies.
std::optional<workloads::PercentileEstimate> percentile_of(const Histogram& times,
                                                           const ShownPercentile& shown,
                                                           const Measurement& measurement);

}  // namespace verbena::experiments
