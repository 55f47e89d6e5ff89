// Widths from batches.
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

std::size_t bucket_at(const Histogram& values, double fraction) {
  return Histogram::bucket_of(Nanoseconds(static_cast<std::int64_t>(values.percentile(fraction))));
}

// True if there are enough values to bound a percentile, with the given inflation of variance.
bool is_bounded(const Histogram& values, double fraction, double inflation) {
  return estimate_percentile(values, fraction,
                             share_half_width(values.count(), fraction, inflation))
      .has_value();
}

// True where the mean has no interval, or where there are too few values to bound the percentile or
// a nearer one: among the longest latencies all batches are alike, which shows nothing. The width
// of the interval does not count: with few values it may be large by chance.
bool is_withheld(const Histogram& values, const ShownPercentile& shown,
                 const Measurement& measurement) {
  if (!inflation_of(measurement)) return true;
  return std::ranges::any_of(kShownPercentiles, [&](const ShownPercentile& nearer) {
    const double fraction = nearer.fraction;
    return fraction <= shown.fraction && !is_bounded(values, fraction,
                                                     measurement.latency_batches.proven_inflation(
                                                         bucket_at(measurement.latency, fraction)));
  });
}

// True where processes measured for different times, so that their batches do not go together.
bool lacks_batches(const Measurement& measurement) {
  return measurement.latency_batches.counts().empty();
}

// Without an interval, which would need batches.
std::optional<PercentileEstimate> value_alone(const Histogram& values, double fraction) {
  if (!is_bounded(values, fraction, 1)) return std::nullopt;
  return PercentileEstimate{.value = values.percentile(fraction)};
}

// By batches, and by how long what is in flight goes on, see workloads::lasting_share.
std::vector<double> share_half_widths(const Measurement& measurement) {
  return measurement.latency_batches.share_half_widths(
      workloads::lasting_share(measurement.latency, measurement.in_flight, measurement.seconds));
}

}  // namespace

bool is_bounded(const Histogram& values, double fraction) {
  return is_bounded(values, fraction, 1);
}

std::optional<double> inflation_of(const Measurement& measurement) {
  const auto& mean = measurement.precision.mean_latency_ns;
  if (!mean) return std::nullopt;
  return workloads::variance_inflation(measurement.latency, mean->estimate);
}

std::optional<PercentileEstimate> percentile_of(const Measurement& measurement,
                                                const ShownPercentile& shown) {
  if (lacks_batches(measurement)) return value_alone(measurement.latency, shown.fraction);
  if (is_withheld(measurement.latency, shown, measurement)) return std::nullopt;
  return estimate_percentile(measurement.latency, shown.fraction, share_half_widths(measurement));
}

std::optional<PercentileEstimate> percentile_of(const Histogram& times,
                                                const ShownPercentile& shown,
                                                const Measurement& measurement) {
  if (lacks_batches(measurement)) return value_alone(times, shown.fraction);
  if (is_withheld(times, shown, measurement)) return std::nullopt;
  const Histogram& latency = measurement.latency;
  const double inflation = workloads::share_inflation(
      latency.count(), shown.fraction,
      share_half_widths(measurement)[bucket_at(latency, shown.fraction)]);
  const double width = share_half_width(times.count(), shown.fraction, inflation);
  return estimate_percentile(times, shown.fraction,
                             std::vector<double>(Histogram::kBuckets, width));
}

}  // namespace verbena::experiments
