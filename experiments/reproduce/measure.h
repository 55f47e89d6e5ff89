// Measuring the points of figures.
#pragma once

#include <vector>

#include "experiments/points/measure_points.h"
#include "experiments/reproduce/figure/figure.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// Figures and points that were measured.
struct Measuring {
  std::vector<MeasuredFigure> figures;  ///< judged
  MeasuredPoints points;                ///< of all figures, one after another; without the results
};

/// The points of all figures, one after another.
std::vector<const MeasuringCommand*> points_of(const std::vector<Figure>& figures);

/// Measures every point of `figures`, which must outlive the result, as `how` says, and judges.
Measuring measure(const std::vector<Figure>& figures, const PointMeasuring& how, PointStore& store,
                  const ProcessPool& pool);

}  // namespace verbena::experiments
