// Which percentiles of latencies are reported.
#pragma once

#include <array>

#include "experiments/report/report.h"
#include "workloads/measure/percentile.h"

namespace verbena::experiments {

struct ShownPercentile {
  double fraction;
  const char* head;  ///< in tables
  const char* name;  ///< in documents
};

inline constexpr std::array<ShownPercentile, 4> kShownPercentiles = {
    {{0.5, "p50", "p50"}, {0.9, "p90", "p90"}, {0.99, "p99", "p99"}, {0.999, "p99.9", "p999"}}};

/// Of means: see workloads::variance_inflation; 1 where nothing is known.
inline double inflation_of(const Measurement& measurement) {
  const auto& mean = measurement.precision.mean_latency_ns;
  return mean ? workloads::variance_inflation(measurement.latency, mean->estimate) : 1;
}

/// Half of the 95 % interval of the share of latencies that do not exceed the percentile: of
/// batches, or where nothing was kept of these of what is known of the mean.
inline double share_half_width_of(const Measurement& measurement, double fraction) {
  const auto of_batches = measurement.latency_batches.share_half_width(fraction);
  return of_batches ? *of_batches
                    : workloads::share_half_width(measurement.latency.count(), fraction,
                                                  inflation_of(measurement));
}

inline std::optional<workloads::PercentileEstimate> percentile_of(const Measurement& measurement,
                                                                  const ShownPercentile& shown) {
  return workloads::estimate_percentile(measurement.latency, shown.fraction,
                                        share_half_width_of(measurement, shown.fraction));
}

}  // namespace verbena::experiments
