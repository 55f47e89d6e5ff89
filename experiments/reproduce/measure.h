// Measuring the points of figures.
#pragma once

#include <vector>

#include "experiments/points/measure_points.h"
#include "experiments/reproduce/figure/figure.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// Measured figures with their points.
struct Measuring {
  std::vector<MeasuredFigure> figures;  ///< with verdicts
  MeasuredPoints points;                ///< of all figures, in order; its `results` are empty
};

/// Points of all figures, in order.
std::vector<const MeasuringCommand*> points_of(const std::vector<Figure>& figures);

/// Measures every point of `figures`, which must outlive the result, as `how` says, and judges
/// them.
Measuring measure(const std::vector<Figure>& figures, const PointMeasuring& how,
                  const PointStore& store, const ProcessPool& pool);

}  // namespace verbena::experiments
