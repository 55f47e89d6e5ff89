// Widths from batches, or from the mean.
#include "experiments/report/shown_percentiles.h"

#include <algorithm>
#include <cstdint>

namespace verbena::experiments {
namespace {

using workloads::estimate_percentile;
using workloads::PercentileEstimate;
using workloads::share_half_width;

double share_half_width_of(const Measurement& measurement, double fraction) {
  const std::uint64_t count = measurement.latency.count();
  const auto of_batches = measurement.latency_batches.share_half_width(fraction);
  if (!of_batches) return share_half_width(count, fraction, inflation_of(measurement));
  // Few that are all alike vary in no batch, and tell no more than others do.
  return std::max(*of_batches, share_half_width(count, fraction, 1));
}

}  // namespace

double inflation_of(const Measurement& measurement) {
  const auto& mean = measurement.precision.mean_latency_ns;
  return mean ? workloads::variance_inflation(measurement.latency, mean->estimate) : 1;
}

std::optional<PercentileEstimate> percentile_of(const Measurement& measurement,
                                                const ShownPercentile& shown) {
  return estimate_percentile(measurement.latency, shown.fraction,
                             share_half_width_of(measurement, shown.fraction));
}

std::optional<PercentileEstimate> percentile_of(const Histogram& times,
                                                const ShownPercentile& shown,
                                                const Measurement& measurement) {
  const double fraction = shown.fraction;
  const double inflation = workloads::share_inflation(measurement.latency.count(), fraction,
                                                      share_half_width_of(measurement, fraction));
  return estimate_percentile(times, fraction, share_half_width(times.count(), fraction, inflation));
}

}  // namespace verbena::experiments
