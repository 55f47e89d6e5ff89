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

// Half the width of an interval, or its lower end where it has no other.
std::string interval_cell(const workloads::PercentileEstimate& estimate) {
  if (!estimate.low) return cell("-");
  if (!estimate.high) return cell(fmt::format(">{:.2f}", us(*estimate.low)));
  return cell(us(*estimate.high - *estimate.low) / 2);
}

std::string interval_cells(const Measurement& measurement) {
  std::string cells;
  for (const ShownPercentile& shown : kShownPercentiles) {
    const auto estimate = percentile_of(measurement, shown);
    cells += estimate ? interval_cell(*estimate) : cell("-");
  }
  return cells +
         fmt::format("{:>9.2f}", us(measurement.precision.mean_latency_ns->estimate.half_width));
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
  std::vector<std::pair<std::string, std::string>> rows = {{"  all", cells_of(measurement)}};
  if (measurement.precision.mean_latency_ns) {
    rows.emplace_back("    +- (95 %)", interval_cells(measurement));
  }
  if (measurement.survival.empty()) return rows;
  if (std::string cells = survival_cells(measurement); !cells.empty()) {
    rows.emplace_back("  with in flight", std::move(cells));
  }
  return rows;
}

}  // namespace verbena::experiments
