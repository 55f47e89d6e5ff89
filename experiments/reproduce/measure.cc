// All points of all figures, in one order.
#include "experiments/reproduce/measure.h"

#include <utility>

namespace verbena::experiments {

std::vector<const MeasuringCommand*> points_of(const std::vector<Figure>& figures) {
  std::vector<const MeasuringCommand*> points;
  for (const Figure& figure : figures) {
    for (const FigureSeries& series : figure.series) {
      for (const FigurePoint& point : series.points) points.push_back(&point.command);
    }
  }
  return points;
}

Measuring measure(const std::vector<Figure>& figures, const PointMeasuring& how,
                  const PointStore& store, const ProcessPool& pool) {
  Measuring measuring;
  measuring.points = measure_points(points_of(figures), how, store, pool);
  auto next = measuring.points.results.begin();
  for (const Figure& figure : figures) {
    MeasuredFigure measured{.figure = &figure, .results = {}};
    for (const FigureSeries& series : figure.series) {
      const auto count = static_cast<std::ptrdiff_t>(series.points.size());
      measured.results.emplace_back(next, next + count);
      next += count;
    }
    measuring.figures.push_back(std::move(measured));
  }
  measuring.points.results.clear();
  if (measuring.points.signal != 0) return measuring;
  for (MeasuredFigure& measured : measuring.figures) judge_all(measured);
  return measuring;
}

}  // namespace verbena::experiments
