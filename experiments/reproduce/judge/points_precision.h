// How well a figure's points are known.
#pragma once

#include <cstddef>
#include <string>

#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// Precision of the points that are runs, which tell that of their throughput. A bench does not.
struct PointsPrecision {
  std::size_t points = 0;
  double widest = 0;      ///< half of the widest 95 % interval, of its mean
  std::string widest_at;  ///< the point: "DrTM+H, coroutines per thread 16"
  std::size_t unsteady = 0;
};

PointsPrecision points_precision(const MeasuredFigure& measured);

/// One line for people, without a new one; empty where no point is a run.
std::string points_precision_text(const MeasuredFigure& measured);

/// A line for the runs that had not come to rest, which are marked by a star, and one for those
/// that had and are less precise than they were to be, each with what ended it; empty where none
/// is.
std::string rest_text(const MeasuredFigure& measured);

}  // namespace verbena::experiments
