// Batch means, and what their correlation does to the interval.
#include "workloads/measure/estimate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

namespace verbena::workloads {
namespace {

using Batches = std::array<double, kBatches>;

/// Beyond, a series of that many batches cannot tell a process from a trend.
constexpr double kMostCorrelation = 0.95;

/// Deviations from the mean that are this small are what rounding left.
constexpr double kRounding = 1e-9;

Batches batches_of(std::span<const double> series) {
  Batches sums{};
  const std::size_t together = series.size() / kBatches;
  for (std::size_t i = 0; i < together * kBatches; ++i) sums[i / together] += series[i];
  return sums;
}

double sum_of(std::span<const double> values) { return std::reduce(values.begin(), values.end()); }

/// Student's t for 95 %, from the normal distribution's (Cornish and Fisher); good from 3 on.
double student(double degrees_of_freedom) {
  constexpr double kNormal = 1.959964;
  constexpr double kPower3 = kNormal * kNormal * kNormal;
  constexpr double kPower5 = kPower3 * kNormal * kNormal;
  constexpr double kPower7 = kPower5 * kNormal * kNormal;
  const double n = degrees_of_freedom;
  return kNormal + (kPower3 + kNormal) / (4 * n) +
         (5 * kPower5 + 16 * kPower3 + 3 * kNormal) / (96 * n * n) +
         (3 * kPower7 + 19 * kPower5 + 17 * kPower3 - 15 * kNormal) / (384 * n * n * n);
}

}  // namespace

std::optional<Estimate> estimate_quotient(std::span<const double> numerators,
                                          std::span<const double> denominators, double lasting) {
  assert(numerators.size() == denominators.size());
  const double all_below = sum_of(denominators);
  if (numerators.size() < kBatches || all_below == 0) return std::nullopt;
  const double mean = sum_of(numerators) / all_below;

  const Batches above = batches_of(numerators);
  const Batches below = batches_of(denominators);
  double squares = 0;
  double products = 0;
  double before = 0;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const double deviation = above[i] - mean * below[i];
    squares += deviation * deviation;
    products += deviation * before;
    before = deviation;
  }
  const double in_batches = sum_of(below);
  const double rounding = kRounding * mean * in_batches;
  if (squares <= rounding * rounding) return Estimate{.mean = mean};

  // Estimated from so few, a correlation comes out too small.
  const double measured = products / squares;
  const double correlation =
      std::clamp(measured + (1 + 4 * measured) / kBatches, 0.0, kMostCorrelation);
  // The factor by which what batches share falls off from one to the next; the rest is their own.
  const double kept = std::clamp(lasting, correlation, kMostCorrelation);
  const double of_the_sum =
      squares * kBatches / (kBatches - 1) * (1 - kept + 2 * correlation) / (1 - kept);
  const double independent = kBatches * (1 - kept) / (1 + kept);
  const double freedom = std::max(3.0, independent - 1);
  const double error = std::sqrt(of_the_sum) / in_batches;
  return Estimate{.mean = mean,
                  .half_width = student(freedom) * error,
                  .standard_error = error,
                  .degrees_of_freedom = freedom,
                  .correlation = correlation};
}

double grouped_half_width(std::span<const double> numerators, std::span<const double> denominators,
                          std::size_t groups) {
  assert(numerators.size() == denominators.size() && groups >= 4);
  const std::size_t together = numerators.size() / groups;
  const std::size_t used = together * groups;
  const double below = sum_of(denominators.first(used));
  const double mean = sum_of(numerators.first(used)) / below;
  double squares = 0;
  for (std::size_t first = 0; first < used; first += together) {
    const double deviation = sum_of(numerators.subspan(first, together)) -
                             mean * sum_of(denominators.subspan(first, together));
    squares += deviation * deviation;
  }
  const auto count = static_cast<double>(groups);
  return student(count - 1) * std::sqrt(squares * count / (count - 1)) / below;
}

}  // namespace verbena::workloads
