// Widths from batches, or from the mean.
#include "experiments/report/result/shown_percentiles.h"

#include <algorithm>
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
// batches have it, or where nothing was kept of these the mean. `widths`: of the shares, by
// batches.
double share_inflation_of(const Measurement& measurement, double fraction,
                          const std::vector<double>& widths) {
  const Histogram& latency = measurement.latency;
  return widths.empty() ? inflation_of(measurement)
                        : workloads::share_inflation(latency.count(), fraction,
                                                     widths[bucket_at(latency, fraction)]);
}

// True of a percentile that there are too few to bound, by what batches show alone, and of those
// beyond it: among the longest latencies all batches are alike, and show nothing.
bool is_withheld(const Histogram& values, const ShownPercentile& shown,
                 const Measurement& measurement) {
  const std::vector<double> widths = measurement.latency_batches.share_half_widths(0);
  return std::ranges::any_of(kShownPercentiles, [&](const ShownPercentile& nearer) {
    const double fraction = nearer.fraction;
    const double inflation = share_inflation_of(measurement, fraction, widths);
    return fraction <= shown.fraction &&
           !estimate_percentile(values, fraction,
                                share_half_width(values.count(), fraction, inflation));
  });
}

std::vector<double> lasting_widths(const Measurement& measurement) {
  return measurement.latency_batches.share_half_widths(lasting_of(measurement));
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
  const std::vector<double> widths = lasting_widths(measurement);
  if (widths.empty()) return percentile_of(latency, shown, measurement);
  if (is_withheld(latency, shown, measurement)) return std::nullopt;
  return estimate_percentile(latency, shown.fraction, widths);
}

std::optional<PercentileEstimate> percentile_of(const Histogram& times,
                                                const ShownPercentile& shown,
                                                const Measurement& measurement) {
  if (is_withheld(times, shown, measurement)) return std::nullopt;
  const double inflation =
      share_inflation_of(measurement, shown.fraction, lasting_widths(measurement));
  const double width = share_half_width(times.count(), shown.fraction, inflation);
  return estimate_percentile(times, shown.fraction,
                             std::vector<double>(Histogram::kBuckets, width));
}

}  // namespace verbena::experiments
