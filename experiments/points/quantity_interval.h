// Intervals of the quantities of a run.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// A 95 % interval: it contains the true value in about 95 of 100 repetitions.
struct QuantityInterval {
  double low = 0;
  double high = 0;
  double degrees_of_freedom = std::numeric_limits<double>::infinity();  ///< of Student's t
};

/// Returns the interval of a quantity (quantity.h), in its unit, as the run computed it; nothing
/// where it has none. Throughput, mean latency and share of aborts use batches; percentiles use
/// order statistics; phases, times and kinds' latencies use their scatter, widened by the
/// correlation of neighbouring latencies. A kind's throughput combines the interval of the whole
/// with chance in the kind's share.
std::optional<QuantityInterval> interval_of(const PointResult& result, const std::string& quantity);

}  // namespace verbena::experiments
