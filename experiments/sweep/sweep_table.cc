// A row for each place, with the means of its runs.
#include "experiments/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "experiments/config/keys/units.h"
#include "experiments/points/quantity.h"
#include "experiments/points/runs.h"
#include "experiments/report/text/text_table.h"

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
  if (!mean || mean->mean == 0) return "-";
  return fmt::format("+-{:.2g} %{}", 100 * mean->half_width() / mean->mean,
                     is_unsteady(place) ? " or more" : "");
}

double mean_rate(const SweepPlace& place, double PointResult::*member) {
  double sum = 0;
  for (const PointResult* run : place.runs) sum += run->*member;
  return sum / static_cast<double>(place.runs.size());
}

// Withheld where one of the runs withholds it.
std::string time_cell(const SweepPlace& place, double PointResult::*member) {
  const double mean = mean_rate(place, member);
  return std::isnan(mean) ? "-" : fmt::format("{:.2f}", mean);
}

// Each of them once, where runs differ.
std::string bound_cell(const SweepPlace& place) {
  std::set<std::string> bounds;
  for (const PointResult* run : place.runs) {
    if (!run->bound_by.empty()) bounds.insert(run->bound_by);
  }
  return bounds.empty() ? "-" : fmt::format("{}", fmt::join(bounds, ", "));
}

std::string in_flight_cell(const SweepPlace& place) {
  double sum = 0;
  for (const PointResult* run : place.runs) {
    if (!run->in_flight) return "-";
    sum += *run->in_flight;
  }
  return fmt::format("{:.0f}", sum / static_cast<double>(place.runs.size()));
}

/// The columns of which some series have no need.
struct Columns {
  bool transactions = false;
  bool roles = false;   ///< nodes of some measurements only serve
  bool bounds = false;  ///< simulated: the fabric tells
};

Columns columns_of(const MeasuredSweep& measured) {
  Columns columns{.transactions = measured.sweep->transactions()};
  for (const auto& result : measured.points.results) {
    if (!result) continue;
    columns.roles |= result->computing_nodes != result->nodes;
    columns.bounds |= !result->bound_by.empty();
  }
  return columns;
}

Row header(const Columns& columns, const SweepPlace& first) {
  Row row;
  for (const auto& value : first.values) row.push_back(value.first);
  row.insert(row.end(), {columns.transactions ? "txn/s" : "op/s", "95 %"});
  if (columns.roles) row.insert(row.end(), {"computing", "per one"});
  if (!columns.transactions) row.insert(row.end(), {"per client", "per server"});
  row.insert(row.end(), {"p50 [us]", "p90", "p99", "p99.9", "mean", "max"});
  if (columns.transactions) row.emplace_back("aborts");
  row.emplace_back("in flight");
  if (columns.bounds) row.emplace_back("bound by");
  return row;
}

Row place_row(const Columns& columns, const SweepPlace& place) {
  Row row;
  for (const auto& value : place.values) row.push_back(printable(value.second));
  if (place.runs.empty()) {
    row.emplace_back("-");
    return row;
  }
  row.push_back(format_scaled(mean_rate(place, &PointResult::throughput_per_s)));
  row.push_back(width_cell(place, "throughput"));
  if (columns.roles) {
    row.push_back(fmt::format("{:.0f}", mean_rate(place, &PointResult::computing_nodes)));
    row.push_back(format_scaled(1e6 * mean_quantity(place.runs, "throughput_per_node")));
  }
  if (!columns.transactions) {
    row.push_back(format_scaled(mean_rate(place, &PointResult::per_client_per_s)));
    row.push_back(format_scaled(mean_rate(place, &PointResult::per_server_per_s)));
  }
  for (const auto member : {&PointResult::p50_us, &PointResult::p90_us, &PointResult::p99_us,
                            &PointResult::p999_us, &PointResult::mean_us, &PointResult::max_us}) {
    row.push_back(time_cell(place, member));
  }
  if (columns.transactions) {
    row.push_back(fmt::format("{:.2f} %", 100 * mean_quantity(place.runs, "abort_rate")));
  }
  row.push_back(in_flight_cell(place));
  if (columns.bounds) row.push_back(bound_cell(place));
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

// The percentiles whose means are withheld since some runs withhold their own; empty where there
// are none.
std::string withheld_line(const std::vector<SweepPlace>& places) {
  std::vector<std::string> parts;
  for (const auto& [name, member] :
       {std::pair("p50", &PointResult::p50_us), std::pair("p90", &PointResult::p90_us),
        std::pair("p99", &PointResult::p99_us), std::pair("p99.9", &PointResult::p999_us)}) {
    const auto withholds = [member = member](const PointResult* run) {
      return std::isnan(run->*member);
    };
    std::ptrdiff_t withheld = 0;
    std::size_t runs = 0;
    for (const SweepPlace& place : places) {
      withheld += std::ranges::count_if(place.runs, withholds);
      runs += place.runs.size();
    }
    if (withheld > 0) parts.push_back(fmt::format("{} by {} of {}", name, withheld, runs));
  }
  if (parts.empty()) return "";
  return line("withheld",
              fmt::format("{} runs, which measured too few for them; without one of its "
                          "runs a point has no mean",
                          fmt::join(parts, ", ")));
}

// Empty where all have come to rest.
std::string unsteady_line(const std::vector<SweepPlace>& places) {
  const auto unsteady = std::ranges::count_if(places, is_unsteady);
  if (unsteady == 0) return "";
  return line(
      "not steady",
      fmt::format("{} of {} points (\"or more\"): throughput or latency had not come to rest, "
                  "percentiles neither",
                  unsteady, places.size()));
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
  const Columns columns = columns_of(measured);
  std::vector<Row> rows{header(columns, places.front())};
  std::size_t runs = 0;
  for (const SweepPlace& place : places) {
    rows.push_back(place_row(columns, place));
    runs = std::max(runs, place.measurements.size());
  }
  text += "\n" + aligned(rows, places.front().values.size()) + "\n";
  if (runs > 1) {
    text += line("runs", fmt::format("{} of each point; means over them, and how far chance moves "
                                     "these",
                                     runs));
  }
  if (runs > 1) text += withheld_line(places);
  text += unsteady_line(places) + isolation_line(measured);
  text += line("measurements",
               fmt::format("{}: {} measured before, {} failed", measured.points.different,
                           measured.points.reused, measured.points.failures.size()));
  if (const std::string shard = measured.points.shard_text(); !shard.empty()) {
    text += line("shard", shard);
  }
  text += line("time", fmt::format("{:.2f} s", measured.wall_seconds));
  if (const std::uint64_t digest = measured.trace_digest(); digest != 0) {
    text += line("trace digest", fmt::format("{:016x}", digest));
  }
  return text + line("again", sweep.record.command_line());
}

}  // namespace verbena::experiments
