// Percentiles in columns.
#include "experiments/report/text/latency_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/report/result/shown_percentiles.h"

namespace verbena::experiments {
namespace {

double us(double nanoseconds) { return nanoseconds / 1000; }
double us(std::uint64_t nanoseconds) { return us(static_cast<double>(nanoseconds)); }

std::string cell(double value) { return fmt::format("{:>9.2f} ", value); }
std::string cell(const std::string& text) { return fmt::format("{:>9} ", text); }

std::string mean_cells(const Histogram& latency) {
  return fmt::format("{:>9.2f} {:>9.2f}", us(latency.mean()), us(latency.max()));
}

std::string cells_of(const Measurement& measurement) {
  std::string cells;
  for (const ShownPercentile& shown : kShownPercentiles) {
    const auto estimate = percentile_of(measurement, shown);
    cells += estimate ? cell(us(estimate->value)) : cell("-");
  }
  return cells + mean_cells(measurement.latency);
}

using IntervalCell = std::string (*)(const workloads::PercentileEstimate&);
using Rows = std::vector<std::pair<std::string, std::string>>;

// True if one side of the interval is longer than the other by more than a fifth, and by more than
// a bucket of the histogram, in which the value may lie anywhere.
bool is_lopsided(const workloads::PercentileEstimate& estimate) {
  if (!estimate.low || !estimate.high) return false;
  const auto [shorter, longer] =
      std::minmax({estimate.value - *estimate.low, *estimate.high - estimate.value});
  const std::size_t bucket =
      Histogram::bucket_of(Nanoseconds(static_cast<std::int64_t>(estimate.value)));
  const std::uint64_t width = Histogram::highest_of(bucket) - Histogram::lowest_of(bucket);
  return longer - shorter > std::max(longer / 5, width);
}

// An end of an interval that has no other.
std::string open_cell(const workloads::PercentileEstimate& estimate) {
  return estimate.low ? cell(fmt::format(">{:.2f}", us(*estimate.low))) : cell("-");
}

std::string half_width_cell(const workloads::PercentileEstimate& estimate) {
  if (!estimate.high) return open_cell(estimate);
  return cell(us(*estimate.high - *estimate.low) / 2);
}

std::string low_cell(const workloads::PercentileEstimate& estimate) {
  return estimate.high ? cell(us(*estimate.low)) : open_cell(estimate);
}

std::string high_cell(const workloads::PercentileEstimate& estimate) {
  return estimate.high ? cell(us(*estimate.high)) : cell("-");
}

// With `of_mean_ns` of the mean's interval, where that says anything.
std::string interval_cells(const Measurement& measurement, IntervalCell interval_cell,
                           double of_mean_ns) {
  const workloads::Estimate& mean = measurement.precision.mean_latency_ns->estimate;
  std::string cells;
  for (const ShownPercentile& shown : kShownPercentiles) {
    const auto estimate = percentile_of(measurement, shown);
    cells += estimate ? interval_cell(*estimate) : cell("-");
  }
  if (mean.half_width >= mean.mean) return cells + fmt::format("{:>9}", "-");
  return cells + fmt::format("{:>9.2f}", us(of_mean_ns));
}

// Half the widths, or both ends where an interval has no middle.
void add_intervals(Rows& rows, const Measurement& measurement) {
  const workloads::Estimate& mean = measurement.precision.mean_latency_ns->estimate;
  const bool lopsided = std::ranges::any_of(kShownPercentiles, [&](const ShownPercentile& shown) {
    const auto estimate = percentile_of(measurement, shown);
    return estimate && is_lopsided(*estimate);
  });
  if (!lopsided) {
    rows.emplace_back("    +- (95 %)",
                      interval_cells(measurement, half_width_cell, mean.half_width));
    return;
  }
  rows.emplace_back("    from (95 %)",
                    interval_cells(measurement, low_cell, mean.mean - mean.half_width));
  rows.emplace_back("    to (95 %)",
                    interval_cells(measurement, high_cell, mean.mean + mean.half_width));
}

/// Beyond what an interval and the width of a histogram's bucket explain.
bool differs(std::optional<std::uint64_t> value, const workloads::PercentileEstimate& estimate) {
  return !value || (estimate.high && *value > *estimate.high + *estimate.high / 16) ||
         (estimate.low && *value + *value / 16 < *estimate.low);
}

// Text of a percentile that is beyond the longest that was seen.
std::string beyond_text(const Measurement& measurement) {
  return fmt::format(">{:.2f}",
                     us(std::max(measurement.latency.max(), measurement.in_flight.max())));
}

std::string survival_cells(const Measurement& measurement) {
  bool different = false;
  std::string cells;
  for (const ShownPercentile& shown : kShownPercentiles) {
    const auto value = measurement.survival.percentile(shown.fraction);
    const auto estimate = percentile_of(measurement, shown);
    if (!estimate) {
      cells += cell("-");
      continue;
    }
    different |= differs(value, *estimate);
    cells += value ? cell(us(*value)) : cell(beyond_text(measurement));
  }
  return different ? cells : "";
}

}  // namespace

std::string latency_heads() {
  std::string heads;
  for (const ShownPercentile& shown : kShownPercentiles) heads += cell(shown.head);
  return heads + fmt::format("{:>9} {:>9}", "mean", "max");
}

std::string latency_cells(const Histogram& times, const Measurement& measurement) {
  std::string cells;
  for (const ShownPercentile& shown : kShownPercentiles) {
    const auto estimate = percentile_of(times, shown, measurement);
    cells += estimate ? cell(us(estimate->value)) : cell("-");
  }
  return cells + mean_cells(times);
}

std::vector<std::pair<std::string, std::string>> latency_rows(const Measurement& measurement) {
  Rows rows = {{"  all", cells_of(measurement)}};
  if (measurement.precision.mean_latency_ns) add_intervals(rows, measurement);
  if (measurement.survival.empty()) return rows;
  if (std::string cells = survival_cells(measurement); !cells.empty()) {
    rows.emplace_back("  with in flight", std::move(cells));
  }
  return rows;
}

}  // namespace verbena::experiments
