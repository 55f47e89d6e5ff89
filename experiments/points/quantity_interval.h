// How well a run knows the quantities that are shown of it.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// Between what the true value lies in about 95 of 100 repetitions.
struct QuantityInterval {
  double low = 0;
  double high = 0;
  double degrees_of_freedom = std::numeric_limits<double>::infinity();  ///< of Student's t
};

/// The interval that a run tells of one of its quantities (quantity.h), in its unit; nothing where
/// it tells none. Throughput, mean latency and the share of aborts have those of
/// batches; percentiles those of order statistics, and phases, times and kinds' latencies those of
/// their scatter, widened by as much as neighbouring latencies are alike. A kind's throughput has
/// the whole's, and what chance does to its share of it.
std::optional<QuantityInterval> interval_of(const PointResult& result, const std::string& quantity);

}  // namespace verbena::experiments
