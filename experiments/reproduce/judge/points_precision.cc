// The least precise of a figure's points.
#include "experiments/reproduce/judge/points_precision.h"

#include <fmt/format.h>

namespace verbena::experiments {

PointsPrecision points_precision(const MeasuredFigure& measured) {
  PointsPrecision precision;
  const Figure& figure = *measured.figure;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const FigureSeries& series = figure.series[s];
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const std::optional<PointResult>& result = measured.results[s][p];
      if (!result || result->of_its_seed || !result->throughput_interval) continue;
      if (result->throughput_per_s <= 0) continue;
      ++precision.points;
      if (!result->steady) ++precision.unsteady;
      const double width = result->throughput_interval->half_width / result->throughput_per_s;
      if (width < precision.widest) continue;
      precision.widest = width;
      precision.widest_at =
          fmt::format("{}, {} {}", series.label, figure.x_label, series.points[p].at);
    }
  }
  return precision;
}

std::string points_precision_text(const MeasuredFigure& measured) {
  const PointsPrecision precision = points_precision(measured);
  if (precision.points == 0) return "";
  const double percent = 100 * precision.widest;
  std::string text =
      fmt::format("throughput is known to +-{} % (95 %) or better; the widest interval is at {}",
                  percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent),
                  precision.widest_at);
  if (precision.unsteady > 0) {
    text += fmt::format("; {} of {} runs were not steady", precision.unsteady, precision.points);
  }
  return text;
}

std::string rest_text(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  std::string moving;
  std::string cut_off;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    for (std::size_t p = 0; p < figure.series[s].points.size(); ++p) {
      const std::optional<PointResult>& result = measured.results[s][p];
      if (!result || (result->steady && result->ended_by.empty())) continue;
      if (result->steady && result->ended_by == "precision") continue;
      std::string& line = result->steady ? cut_off : moving;
      line += fmt::format("{}{} at {}{}", line.empty() ? "" : ", ", figure.series[s].label,
                          figure.series[s].points[p].at,
                          result->ended_by.empty() || result->ended_by == "precision"
                              ? ""
                              : " (ended by --" + result->ended_by + ")");
    }
  }
  if (!moving.empty()) moving = "* had not come to rest: " + moving + "\n";
  if (!cut_off.empty()) cut_off = "less precise than asked for: " + cut_off + "\n";
  return moving + cut_off;
}

}  // namespace verbena::experiments
