// Squares of what the widths are of what was asked for.
#include "workloads/measure/end_forecast.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace verbena::workloads {
namespace {

/// Student's t for 95 % of independent batches.
constexpr double kStudent = 2.07;

/// More than that would be a trend, of which batches of a longer series show less.
constexpr double kMostCorrelation = 0.8;

// Factor by which correlation widens the interval that independent batches would have.
double widening(double correlation) { return std::sqrt((1 + correlation) / (1 - correlation)); }

// The half of the width that a series as long has whose batches are longer than what makes
// neighbours alike: the estimate of this one allows for more, since its correlation is known badly.
double settled_half_width(const Estimate& estimate) {
  const double allowed = 1.0 / static_cast<double>(kBatches);
  const double likely =
      std::clamp((estimate.correlation - allowed) / (1 + 4 * allowed), 0.0, kMostCorrelation);
  return kStudent * estimate.standard_error * widening(likely) / widening(estimate.correlation);
}

// The width of a mean, of the one that was asked for; 0 where nothing is known.
double excess(const std::optional<JudgedMean>& mean, double half_width) {
  if (!mean || mean->estimate.mean <= 0) return 0;
  return settled_half_width(mean->estimate) / (half_width * mean->estimate.mean);
}

}  // namespace

Nanoseconds length_until_precise(const IntervalSeries& series, double half_width) {
  const Precision precision = precision_of(series);
  if (!precision.throughput_per_s || !precision.mean_latency_ns) return 0;
  double most = std::max(excess(precision.throughput_per_s, half_width),
                         excess(precision.mean_latency_ns, half_width));
  if (precision.abort_share) {
    most = std::max(most, settled_half_width(precision.abort_share->estimate) / half_width);
  }
  const auto length_ns =
      static_cast<double>(series.width().count()) * static_cast<double>(series.counts().size());
  return Nanoseconds(static_cast<std::int64_t>(std::min(1e15, most * most * length_ns)));
}

Nanoseconds usual_length(Nanoseconds passed, std::uint64_t commits, double half_width) {
  constexpr double kUsualCommits = 45'000;
  constexpr double kUsualWidth = 0.01;
  const double finer = kUsualWidth / half_width;
  const double needed = kUsualCommits * finer * finer;
  const double times = needed / static_cast<double>(std::max<std::uint64_t>(1, commits));
  return Nanoseconds(
      static_cast<std::int64_t>(std::min(1e15, times * static_cast<double>(passed.count()))));
}

IntervalSeries later_part(const IntervalSeries& series) {
  const auto& counts = series.counts();
  if (counts.empty()) return {};
  const auto skipped = static_cast<std::ptrdiff_t>(counts.size() / 3);
  return {series.width(), std::vector<IntervalCounts>(counts.begin() + skipped, counts.end())};
}

}  // namespace verbena::workloads
