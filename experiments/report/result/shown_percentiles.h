// Which percentiles of latencies are reported, and when.
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

/// Inflation of the mean's variance, see workloads::variance_inflation; 1 where nothing is known.
double inflation_of(const Measurement& measurement);

/// Tells whether there are enough values to bound that percentile of them, each taken for
/// independent of the others.
bool is_bounded(const Histogram& values, double fraction);

/// A percentile of the latencies with its interval: of batches, or where nothing was kept of these
/// of what is known of the mean. Nothing where there are too few to bound it, and it is withheld:
/// tables, documents, series, plots and pages all go by this.
std::optional<workloads::PercentileEstimate> percentile_of(const Measurement& measurement,
                                                           const ShownPercentile& shown);

/// Likewise of times that follow one another as the latencies do, of phases say, and are as much
/// alike.
std::optional<workloads::PercentileEstimate> percentile_of(const Histogram& times,
                                                           const ShownPercentile& shown,
                                                           const Measurement& measurement);

}  // namespace verbena::experiments
