// Widths from batches, or from the mean.
#include "experiments/report/result/shown_percentiles.h"

namespace verbena::experiments {
namespace {

using workloads::estimate_percentile;
using workloads::PercentileEstimate;
using workloads::share_half_width;

// Factor by which fewer independent values would tell as much of the share up to a percentile: as
// batches have it, or where nothing was kept of these the mean.
double share_inflation_of(const Measurement& measurement, double fraction) {
  const auto of_batches = measurement.latency_batches.share_half_width(fraction);
  return of_batches ? workloads::share_inflation(measurement.latency.count(), fraction, *of_batches)
                    : inflation_of(measurement);
}

}  // namespace

bool is_bounded(const Histogram& values, double fraction) {
  return estimate_percentile(values, fraction, share_half_width(values.count(), fraction, 1))
      .has_value();
}

double inflation_of(const Measurement& measurement) {
  const auto& mean = measurement.precision.mean_latency_ns;
  return mean ? workloads::variance_inflation(measurement.latency, mean->estimate) : 1;
}

std::optional<PercentileEstimate> percentile_of(const Measurement& measurement,
                                                const ShownPercentile& shown) {
  return percentile_of(measurement.latency, shown, measurement);
}

std::optional<PercentileEstimate> percentile_of(const Histogram& times,
                                                const ShownPercentile& shown,
                                                const Measurement& measurement) {
  const double inflation = share_inflation_of(measurement, shown.fraction);
  return estimate_percentile(times, shown.fraction,
                             share_half_width(times.count(), shown.fraction, inflation));
}

}  // namespace verbena::experiments
