// Widths from batches, or from the mean.
#include "experiments/report/result/shown_percentiles.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace verbena::experiments {
namespace {

using workloads::estimate_percentile;
using workloads::PercentileEstimate;
using workloads::share_half_width;

// By how long what is in flight goes on, see workloads::lasting_share.
double lasting_of(const Measurement& measurement) {
  return workloads::lasting_share(measurement.latency, measurement.in_flight, measurement.seconds);
}

std::size_t bucket_at(const Histogram& values, double fraction) {
  return Histogram::bucket_of(Nanoseconds(static_cast<std::int64_t>(values.percentile(fraction))));
}

// Factor by which fewer independent values would tell as much of the share up to a percentile: as
// batches have it, or where nothing was kept of these the mean.
double share_inflation_of(const Measurement& measurement, double fraction) {
  const Histogram& latency = measurement.latency;
  const std::vector<double> widths =
      measurement.latency_batches.share_half_widths(lasting_of(measurement));
  return widths.empty() ? inflation_of(measurement)
                        : workloads::share_inflation(latency.count(), fraction,
                                                     widths[bucket_at(latency, fraction)]);
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
  const Histogram& latency = measurement.latency;
  const workloads::LatencyBatches& batches = measurement.latency_batches;
  const std::vector<double> widths = batches.share_half_widths(0);
  if (widths.empty()) return percentile_of(latency, shown, measurement);
  // Too few to bound it, by what batches show alone.
  const double alone = widths[bucket_at(latency, shown.fraction)];
  if (!estimate_percentile(latency, shown.fraction, alone)) return std::nullopt;
  return estimate_percentile(latency, shown.fraction,
                             batches.share_half_widths(lasting_of(measurement)));
}

std::optional<PercentileEstimate> percentile_of(const Histogram& times,
                                                const ShownPercentile& shown,
                                                const Measurement& measurement) {
  const double inflation = share_inflation_of(measurement, shown.fraction);
  return estimate_percentile(times, shown.fraction,
                             share_half_width(times.count(), shown.fraction, inflation));
}

}  // namespace verbena::experiments
