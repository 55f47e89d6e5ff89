// Order statistics, with fewer values than there are.
#include "workloads/measure/percentile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace verbena::workloads {
namespace {

constexpr double kNormal = 1.96;  // for 95 %

double variance_of(const Histogram& values) {
  double squares = 0;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    if (values.in_bucket(i) == 0) continue;
    const double middle =
        static_cast<double>(Histogram::lowest_of(i) + Histogram::highest_of(i)) / 2;
    squares += static_cast<double>(values.in_bucket(i)) * (middle - values.mean()) *
               (middle - values.mean());
  }
  return values.count() == 0 ? 0 : squares / static_cast<double>(values.count());
}

}  // namespace

double variance_inflation(const Histogram& values, const Estimate& mean) {
  const double independent = variance_of(values) / static_cast<double>(values.count());
  const double error = mean.standard_error;
  return independent > 0 ? std::max(1.0, error * error / independent) : 1;
}

std::optional<double> mean_half_width(const Histogram& values, double inflation) {
  if (values.count() < 2) return std::nullopt;
  return kNormal *
         std::sqrt(variance_of(values) / static_cast<double>(values.count() - 1) * inflation);
}

std::optional<double> mean_half_width(double count, double sum, double squares, double inflation) {
  if (count < 2) return std::nullopt;
  const double mean = sum / count;
  const double variance = std::max(0.0, squares / count - mean * mean);
  return kNormal * std::sqrt(variance / (count - 1) * inflation);
}

double share_half_width(std::uint64_t count, double fraction, double inflation) {
  const double independent = static_cast<double>(count) / inflation;
  return kNormal * std::sqrt(fraction * (1 - fraction) / independent);
}

double share_inflation(std::uint64_t count, double fraction, double half_width) {
  const double independent = share_half_width(count, fraction, 1);
  return std::max(1.0, half_width * half_width / (independent * independent));
}

std::optional<PercentileEstimate> estimate_percentile(const Histogram& values, double fraction,
                                                      double share_half_width) {
  const double low = fraction - share_half_width;
  const double high = fraction + share_half_width;
  if (values.count() == 0 || !(low > 0) || !(high < 1)) return std::nullopt;
  const auto bucket_at = [&](double share) {
    return Histogram::bucket_of(Nanoseconds(static_cast<std::int64_t>(values.percentile(share))));
  };
  return PercentileEstimate{.value = values.percentile(fraction),
                            .low = Histogram::lowest_of(bucket_at(low)),
                            .high = Histogram::highest_of(bucket_at(high))};
}

}  // namespace verbena::workloads
