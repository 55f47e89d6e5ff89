// Curves from series, and the places of all of them as tics.
#include "experiments/reproduce/figure_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "experiments/report/text/constants_text.h"

namespace verbena::experiments {
namespace {

bool has_values(const MeasuredFigure& measured, std::size_t series) {
  const auto& results = measured.results[series];
  return std::any_of(results.begin(), results.end(), [](const auto& r) { return r.has_value(); });
}

PlotCurve curve_of(const MeasuredFigure& measured, std::size_t s) {
  const Figure& figure = *measured.figure;
  const FigureSeries& series = figure.series[s];
  PlotCurve curve{.label = series.label, .points = {}, .published = series.published};
  if (!has_values(measured, s)) return curve;
  for (std::size_t p = 0; p < series.points.size(); ++p) {
    const auto value = measured.value(s, p);
    const auto x = figure.against ? measured.against(s, p) : series.points[p].x;
    if (value && x) curve.points.push_back({.x = *x, .y = *value});
  }
  return curve;
}

// Lines of settings that all points have in common.
std::vector<std::string> constants_of(const Figure& figure) {
  std::vector<const ConfigurationRecord*> records;
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& point : series.points) records.push_back(&point.command.record());
  }
  return constants_lines(records);
}

}  // namespace

Plot plot_of(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  Plot plot{
      .title = fmt::format("{}: {}{}", figure.name, figure.title, figure.quick ? " (quick)" : ""),
      .subtitles = constants_of(figure),
      .x_label = figure.against ? with_unit(figure.against->label, figure.against->unit)
                                : with_unit(figure.x_label, figure.x_unit),
      .y_label = with_unit(figure.y_label, figure.y_unit),
      .scale = figure.against ? AxisScale::kLinear : figure.x_scale,
      .x_from_zero = figure.against.has_value(),
      .tics = {},
      .curves = {}};
  std::set<double> seen;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    for (const FigurePoint& point : figure.series[s].points) {
      if (seen.insert(point.x).second) plot.tics.emplace_back(point.at, point.x);
    }
    plot.curves.push_back(curve_of(measured, s));
  }
  return plot;
}

}  // namespace verbena::experiments
