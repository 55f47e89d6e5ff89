// Order statistics, with fewer values than there are.
#include "workloads/measure/percentile.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace verbena::workloads {
namespace {

constexpr double kNormal = 1.96;  // for 95 %
constexpr double kTail = 0.025;   // likewise, on either side

/// So many buckets around a percentile's, about 15 % of its value, its own width counts, too: so
/// few batches differ little by chance now and then, in one bucket and hardly in the next.
constexpr std::size_t kNear = 5;

std::size_t bucket_of(std::uint64_t value) {
  return Histogram::bucket_of(Nanoseconds(static_cast<std::int64_t>(value)));
}

// The value below which such a part of the bucket lies.
std::uint64_t within(std::size_t bucket, double part) {
  const std::uint64_t lowest = Histogram::lowest_of(bucket);
  const auto width = static_cast<double>(Histogram::highest_of(bucket) - lowest);
  return lowest + static_cast<std::uint64_t>(width * part);
}

// Values of the percentile's bucket are only taken for spread evenly.
PercentileEstimate with_its_bucket(PercentileEstimate estimate) {
  const std::size_t bucket = bucket_of(estimate.value);
  if (estimate.low) estimate.low = std::min(*estimate.low, Histogram::lowest_of(bucket));
  if (estimate.high) estimate.high = std::max(*estimate.high, Histogram::highest_of(bucket));
  return estimate;
}

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
  // All of so few may lie on one side of it.
  const double longest_side = std::max(fraction, 1 - fraction);
  if (std::pow(longest_side, static_cast<double>(values.count())) > kTail) return std::nullopt;
  return with_its_bucket({.value = values.percentile(fraction),
                          .low = values.percentile(low),
                          .high = values.percentile(high)});
}

std::optional<PercentileEstimate> estimate_percentile(const Histogram& values, double fraction,
                                                      std::span<const double> share_half_widths) {
  assert(share_half_widths.size() == Histogram::kBuckets);
  const double least = share_half_width(values.count(), fraction, 1);
  if (!estimate_percentile(values, fraction, least)) return std::nullopt;
  PercentileEstimate estimate{.value = values.percentile(fraction), .low = 0};
  const std::size_t middle = bucket_of(estimate.value);
  const double own = std::max(least, share_half_widths[middle]);
  double most_before = 0;   // that the share up to the bucket before may be
  double least_before = 0;  // likewise
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < Histogram::kBuckets; ++bucket) {
    seen += values.in_bucket(bucket);
    const double share = static_cast<double>(seen) / static_cast<double>(values.count());
    const bool near = bucket + kNear >= middle && bucket <= middle + kNear;
    // All batches have all their values below the end, which shows no width.
    const bool all = seen == values.count();
    const double width = std::max(near || all ? own : least, share_half_widths[bucket]);
    const double most = share + width;
    const double least_here = share - width;
    if (bucket <= middle && most_before <= fraction && fraction < most) {
      estimate.low = within(bucket, (fraction - most_before) / (most - most_before));
    }
    if (bucket >= middle && fraction <= least_here) {
      estimate.high = within(bucket, (fraction - least_before) / (least_here - least_before));
      break;
    }
    most_before = most;
    least_before = least_here;
  }
  return with_its_bucket(estimate);
}

}  // namespace verbena::workloads
