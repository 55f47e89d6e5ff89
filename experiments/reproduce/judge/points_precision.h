// Precision of a figure's points.
#pragma once

#include <cstddef>
#include <string>

#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// Precision of throughput over the points that are runs; benches do not report it.
struct PointsPrecision {
  std::size_t points = 0;
  double widest = 0;      ///< half the widest 95 % interval, relative to its mean
  std::string widest_at;  ///< the point: "DrTM+H, coroutines per thread 16"
  std::size_t unsteady = 0;
};

PointsPrecision points_precision(const MeasuredFigure& measured);

/// One line for people, without a newline; empty if no point is a run.
std::string points_precision_text(const MeasuredFigure& measured);

/// A line for the runs that had not come to rest, which are marked by a star, and a line for those
/// that had but are less precise than was asked for, each with the reason for their end. Empty if
/// there are none.
std::string rest_text(const MeasuredFigure& measured);

}  // namespace verbena::experiments
