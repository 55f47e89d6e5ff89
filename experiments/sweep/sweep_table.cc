// A row for each place, with the means of its runs.
#include "experiments/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/config/units.h"
#include "experiments/points/quantity.h"
#include "experiments/points/runs.h"
#include "experiments/report/text_table.h"

namespace verbena::experiments {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kLabelWidth = 16;

bool is_unsteady(const SweepPlace& place) {
  return std::any_of(place.runs.begin(), place.runs.end(),
                     [](const PointResult* run) { return !run->steady; });
}

// Half of the width of the 95 % interval, relative to the mean.
std::string width_cell(const SweepPlace& place, const char* quantity) {
  const auto mean = sampled(place.runs, quantity);
  if (!mean || mean->mean == 0) return "";
  return fmt::format("+-{:.2g} %{}", 100 * mean->half_width() / mean->mean,
                     is_unsteady(place) ? " or more" : "");
}

double mean_rate(const SweepPlace& place, double PointResult::*member) {
  double sum = 0;
  for (const PointResult* run : place.runs) sum += run->*member;
  return sum / static_cast<double>(place.runs.size());
}

Row header(const MeasuredSweep& measured, const SweepPlace& first) {
  Row row;
  for (const auto& value : first.values) row.push_back(value.first);
  const bool transactions = measured.sweep->transactions();
  row.insert(row.end(), {transactions ? "txn/s" : "op/s", "95 %"});
  if (!transactions) row.insert(row.end(), {"per client", "per server"});
  row.insert(row.end(), {"p50 [us]", "p90", "p99", "p99.9", "mean", "max"});
  if (transactions) row.emplace_back("aborts");
  return row;
}

Row place_row(const MeasuredSweep& measured, const SweepPlace& place) {
  Row row;
  for (const auto& value : place.values) row.push_back(printable(value.second));
  if (place.runs.empty()) {
    row.emplace_back("-");
    return row;
  }
  row.push_back(format_scaled(mean_rate(place, &PointResult::throughput_per_s)));
  row.push_back(width_cell(place, "throughput"));
  if (!measured.sweep->transactions()) {
    row.push_back(format_scaled(mean_rate(place, &PointResult::per_client_per_s)));
    row.push_back(format_scaled(mean_rate(place, &PointResult::per_server_per_s)));
  }
  for (const auto member : {&PointResult::p50_us, &PointResult::p90_us, &PointResult::p99_us,
                            &PointResult::p999_us, &PointResult::mean_us, &PointResult::max_us}) {
    row.push_back(fmt::format("{:.2f}", mean_rate(place, member)));
  }
  if (measured.sweep->transactions()) {
    row.push_back(fmt::format("{:.2f} %", 100 * mean_quantity(place.runs, "abort_rate")));
  }
  return row;
}

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("{:<{}}{}\n", label, kLabelWidth, text);
}

// Empty where all measurements are isolated.
std::string isolation_line(const MeasuredSweep& measured) {
  const auto& results = measured.points.results;
  const auto ignoring = std::ranges::count_if(
      results, [](const auto& result) { return result && result->conflicts_ignored; });
  if (ignoring == 0) return "";
  return line("not isolated",
              fmt::format("conflicts are ignored in {} of {} measurements: their results are not "
                          "serializable",
                          ignoring, results.size()));
}

}  // namespace

std::string sweep_table(const MeasuredSweep& measured) {
  const Sweep& sweep = *measured.sweep;
  std::string text = line("configuration", sweep.configuration);
  const char* label = "over";
  for (const auto& [key, list] : sweep.record.lists) {
    text += line(std::exchange(label, ""), fmt::format("{} {}", key, printable(list)));
  }
  for (const auto& [key, value] : sweep.record.overrides) {
    if (sweep.record.lists.contains(key)) continue;
    text += line("", fmt::format("{} = {}", key, printable(value)));
  }
  const std::vector<SweepPlace> places = measured.places();
  std::vector<Row> rows{header(measured, places.front())};
  std::size_t runs = 0;
  for (const SweepPlace& place : places) {
    rows.push_back(place_row(measured, place));
    runs = std::max(runs, place.measurements.size());
  }
  text += "\n" + aligned(rows, places.front().values.size()) + "\n";
  if (runs > 1) {
    text += line("runs", fmt::format("{} of each point; means over them, and how far chance moves "
                                     "these",
                                     runs));
  }
  text += isolation_line(measured);
  text += line("measurements", fmt::format("{}, of which {} were there already and {} failed",
                                           measured.points.different, measured.points.reused,
                                           measured.points.failures.size()));
  text += line("time", fmt::format("{:.2f} s", measured.wall_seconds));
  if (const std::uint64_t digest = measured.trace_digest(); digest != 0) {
    text += line("trace digest", fmt::format("{:016x}", digest));
  }
  return text + line("again", sweep.record.command_line());
}

}  // namespace verbena::experiments
