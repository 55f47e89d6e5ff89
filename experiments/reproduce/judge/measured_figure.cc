// Values and intervals of a figure's series and places.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "experiments/points/quantity.h"
#include "experiments/points/runs.h"
#include "experiments/reproduce/figure/series_places.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {
namespace {

// The quantity that a place shows.
const std::string& drawn(const Figure& figure, std::size_t series, std::size_t point) {
  const std::string& own = figure.series[series].points[point].quantity;
  return own.empty() ? figure.quantity : own;
}

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

// The run, and those that repeat it.
std::vector<const PointResult*> runs_of(const MeasuredFigure& measured, std::size_t series,
                                        std::size_t point) {
  std::vector<const PointResult*> runs{&*measured.results[series][point]};
  if (measured.repeats.empty()) return runs;
  for (const PointResult& repeat : measured.repeats[series][point]) runs.push_back(&repeat);
  return runs;
}

// Nothing where it leaves out what other seeds would change.
std::optional<QuantityInterval> told_interval(const PointResult& result,
                                              const std::string& quantity) {
  return result.of_its_seed ? std::nullopt : interval_of(result, quantity);
}

}  // namespace

PointIndex find_point(const Figure& figure, const std::string& series, const std::string& at) {
  const auto found = std::ranges::find(figure.series, series, &FigureSeries::name);
  const auto point = std::ranges::find(found->points, at, &FigurePoint::at);
  return {.series = static_cast<std::size_t>(found - figure.series.begin()),
          .point = static_cast<std::size_t>(point - found->points.begin())};
}

double MeasuredFigure::value_of(std::size_t series, std::size_t point,
                                const std::string& quantity) const {
  const std::optional<PointResult>& result = results[series][point];
  if (!result) return std::numeric_limits<double>::quiet_NaN();
  if (told_interval(*result, quantity)) return quantity_of(*result, quantity);
  return mean_quantity(runs_of(*this, series, point), quantity);
}

std::optional<QuantityInterval> MeasuredFigure::interval_of_point(
    std::size_t series, std::size_t point, const std::string& quantity) const {
  const std::optional<PointResult>& result = results[series][point];
  if (!result) return std::nullopt;
  if (const auto own = told_interval(*result, quantity)) return own;
  const std::vector<const PointResult*> runs = runs_of(*this, series, point);
  if (runs.size() < 2) return std::nullopt;
  const auto mean = sampled(runs, quantity);
  if (!mean) return std::nullopt;
  const double width = mean->half_width();
  return QuantityInterval{.low = mean->mean - width,
                          .high = mean->mean + width,
                          .degrees_of_freedom = mean->degrees_of_freedom};
}

Curve MeasuredFigure::curve(const std::string& series, const std::string& quantity) const {
  Curve curve;
  for (UncertainPoint& point : uncertain_curve(series, quantity)) curve.push_back(point.point);
  return curve;
}

std::vector<UncertainPoint> MeasuredFigure::uncertain_curve(const std::string& series,
                                                            const std::string& quantity) const {
  std::vector<UncertainPoint> curve;
  const Curve places = series_places(*figure, series);
  const std::size_t s = find_point(*figure, series, "").series;
  for (std::size_t p = 0; p < places.size(); ++p) {
    CurvePoint place = places[p];
    const std::string& shown = quantity.empty() ? drawn(*figure, s, p) : quantity;
    place.y = value_of(s, p, shown);
    std::string source = figure->series[s].points[p].command.record().command_line();
    source.append(" ").append(shown);
    curve.push_back(
        {.point = place, .source = std::move(source), .interval = interval_of_point(s, p, shown)});
  }
  return curve;
}

std::optional<double> MeasuredFigure::value(std::size_t series, std::size_t point) const {
  return known(value_of(series, point, drawn(*figure, series, point)));
}

std::optional<QuantityInterval> MeasuredFigure::interval(std::size_t series,
                                                         std::size_t point) const {
  return interval_of_point(series, point, drawn(*figure, series, point));
}

std::string MeasuredFigure::command_line(std::size_t series, std::size_t point) const {
  const std::optional<PointResult>& result = results[series][point];
  if (result && !result->command_line.empty()) return result->command_line;
  return figure->series[series].points[point].command.record().command_line();
}

std::optional<double> MeasuredFigure::against(std::size_t series, std::size_t point) const {
  if (!figure->against) return std::nullopt;
  return known(value_of(series, point, figure->against->quantity));
}

}  // namespace verbena::experiments
