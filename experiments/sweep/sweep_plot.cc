// Choosing axes, and curves from places.
#include "experiments/sweep/sweep_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "experiments/points/quantity.h"
#include "experiments/points/quantity_interval.h"
#include "experiments/points/runs.h"
#include "experiments/report/text/constants_text.h"
#include "rdma/base/value_text.h"

namespace verbena::experiments {
namespace {

using Distinct = std::vector<std::string>;

// More than a list has.
constexpr std::size_t kMostValues = 1'000'000;

// The values of each key, in the order of the measurements.
std::vector<std::pair<std::string, Distinct>> distinct_values(
    const std::vector<SweepPlace>& places) {
  std::vector<std::pair<std::string, Distinct>> all;
  for (const auto& value : places.front().values) all.emplace_back(value.first, Distinct());
  for (const SweepPlace& place : places) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      Distinct& values = all[i].second;
      const std::string& value = place.values[i].second;
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  return all;
}

bool are_numbers(const Distinct& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const std::string& value) { return axis_number(value).has_value(); });
}

// Each at least one and a half times the one before, over more than a factor of four.
bool grow_by_factors(const Distinct& values) {
  std::set<double> sorted;
  for (const std::string& value : values) sorted.insert(*axis_number(value));
  if (sorted.size() < 3 || *sorted.begin() <= 0 || *sorted.rbegin() < 4 * *sorted.begin()) {
    return false;
  }
  double before = 0;
  for (const double value : sorted) {
    if (value < 1.5 * before) return false;
    before = value;
  }
  return true;
}

const std::string& value_of(const SweepPlace& place, const std::string& key) {
  const auto found = std::find_if(place.values.begin(), place.values.end(),
                                  [&](const auto& value) { return value.first == key; });
  return found->second;
}

// "farm, nodes 4"
std::string label_of(const SweepPlace& place, const std::vector<std::string>& keys) {
  std::string label;
  for (const std::string& key : keys) {
    const std::string& value = value_of(place, key);
    if (!label.empty()) label += ", ";
    label += value.empty() || axis_number(value) ? fmt::format("{} {}", key, value) : value;
  }
  return label;
}

struct XAxis {
  AxisScale scale = AxisScale::kCategories;
  std::map<std::string, double> places;
  std::vector<std::pair<std::string, double>> tics;
};

XAxis x_axis_of(const Distinct& values) {
  XAxis axis;
  const bool numbers = are_numbers(values);
  if (numbers) axis.scale = grow_by_factors(values) ? AxisScale::kLog2 : AxisScale::kLinear;
  for (const std::string& value : values) {
    const double x = numbers ? *axis_number(value) : static_cast<double>(axis.tics.size());
    axis.places[value] = x;
    axis.tics.emplace_back(value.empty() ? "as it is" : value, x);
  }
  return axis;
}

PlotCurve& curve_for(Plot& plot, const std::string& label) {
  for (PlotCurve& curve : plot.curves) {
    if (curve.label == label) return curve;
  }
  return plot.curves.emplace_back(PlotCurve{.label = label, .points = {}, .published = {}});
}

void sort_points(Plot& plot) {
  for (PlotCurve& curve : plot.curves) {
    std::sort(curve.points.begin(), curve.points.end(),
              [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  }
}

std::vector<std::string> quantities_of(const SeriesOptions& options, const SweepAxes& axes) {
  if (options.y != "throughput" || axes.x != "nodes") return {options.y};
  return {options.y, "throughput_per_node"};
}

// Lines of settings that all points have in common.
std::vector<std::string> constants_of(const MeasuredSweep& measured) {
  std::vector<const ConfigurationRecord*> records;
  records.reserve(measured.sweep->points.size());
  for (const MeasuringCommand& point : measured.sweep->points) records.push_back(&point.record());
  return constants_lines(records);
}

// A value with the scatter of several runs, or with the interval that a single one tells.
PlotPoint point_of(const SweepPlace& place, const std::string& quantity, double x, double y) {
  PlotPoint point{.x = x, .y = y};
  if (place.runs.size() == 1) {
    const auto interval = interval_of(*place.runs.front(), quantity);
    if (interval) return {.x = x, .y = y, .low = interval->low, .high = interval->high};
  } else if (const auto mean = sampled(place.runs, quantity)) {
    point.low = y - mean->half_width();
    point.high = y + mean->half_width();
  }
  return point;
}

// A plot for each combination of what has one.
std::vector<Plot> plots_of(const MeasuredSweep& measured, const std::vector<SweepPlace>& places,
                           const SweepAxes& axes, const std::string& quantity) {
  std::vector<Plot> plots;
  Distinct xs;
  for (const auto& [key, values] : distinct_values(places)) {
    if (key == axes.x) xs = values;
  }
  const XAxis axis = x_axis_of(xs);
  const bool durations = axis.scale != AxisScale::kCategories && !parse_real(xs.front());
  for (const SweepPlace& place : places) {
    const std::string named = label_of(place, axes.plots);
    const std::string title = measured.sweep->title() + (named.empty() ? "" : ": " + named);
    auto plot = std::ranges::find(plots, title, &Plot::title);
    if (plot == plots.end()) {
      plot = plots.insert(plots.end(), {.title = title,
                                        .subtitles = constants_of(measured),
                                        .x_label = with_unit(axes.x, durations ? "us" : ""),
                                        .y_label = with_unit(quantity, quantity_unit(quantity)),
                                        .scale = axis.scale,
                                        .x_from_zero = true,
                                        .tics = axis.tics,
                                        .curves = {}});
    }
    PlotCurve& curve = curve_for(*plot, label_of(place, axes.curves));
    const double y = mean_quantity(place.runs, quantity);
    if (std::isnan(y)) continue;
    curve.points.push_back(point_of(place, quantity, axis.places.at(value_of(place, axes.x)), y));
  }
  for (Plot& plot : plots) sort_points(plot);
  return plots;
}

}  // namespace

std::optional<double> axis_number(const std::string& value) {
  if (const auto number = parse_real(value)) return number;
  const auto duration = parse_duration(value);
  if (!duration) return std::nullopt;
  return static_cast<double>(duration->count()) / 1000;
}

SweepAxes axes_of(const MeasuredSweep& measured) {
  const auto lists = distinct_values(measured.places());
  const SeriesOptions& options = measured.sweep->options;
  SweepAxes axes{.x = options.x, .curves = {}, .plots = {}};
  std::size_t best = 0;
  for (const auto& [key, values] : lists) {
    if (!options.x.empty() || key == options.curves) continue;
    const std::size_t weight = values.size() + (are_numbers(values) ? kMostValues : 0);
    if (weight <= best) continue;
    best = weight;
    axes.x = key;
  }
  for (const auto& entry : lists) {
    if (entry.first == axes.x) continue;
    const bool curve = options.curves.empty() || options.curves == entry.first;
    (curve ? axes.curves : axes.plots).push_back(entry.first);
  }
  return axes;
}

std::vector<Plot> sweep_plots(const MeasuredSweep& measured) {
  const std::vector<SweepPlace> places = measured.places();
  const SweepAxes axes = axes_of(measured);
  std::vector<Plot> plots;
  if (axes.x.empty() || places.size() < 2) return plots;
  for (const std::string& quantity : quantities_of(measured.sweep->options, axes)) {
    std::vector<Plot> own = plots_of(measured, places, axes, quantity);
    std::ranges::move(own, std::back_inserter(plots));
  }
  return plots;
}

std::vector<std::string> plot_stems(const MeasuredSweep& measured, const std::vector<Plot>& plots) {
  const std::size_t quantities = quantities_of(measured.sweep->options, axes_of(measured)).size();
  const std::size_t each = plots.size() / quantities;
  std::vector<std::string> stems;
  for (std::size_t i = 0; i < plots.size(); ++i) {
    std::string stem = "plot";
    if (each > 1) stem += fmt::format("-{}", i % each + 1);
    stems.push_back(stem + (i < each ? "" : "-per-node"));
  }
  return stems;
}

bool is_plot_stem(const std::string& name) {
  static const std::regex form("plot(-[0-9]+)?(-per-node)?");
  return std::regex_match(name, form);
}

std::string blank_text(const Plot& plot) {
  return fmt::format("{}: no measurement tells {}; a longer --duration may", plot.title,
                     plot.y_label);
}

}  // namespace verbena::experiments
