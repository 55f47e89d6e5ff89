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

/// See workloads::variance_inflation; 1 where nothing is known.
inline double inflation_of(const Measurement& measurement) {
  const auto& mean = measurement.precision.mean_latency_ns;
  return mean ? workloads::variance_inflation(measurement.latency, mean->estimate) : 1;
}

}  // namespace verbena::experiments
