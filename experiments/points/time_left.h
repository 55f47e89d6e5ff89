// Estimates the time that a series still takes from the progress of its points.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// Estimated cost of a point on some machine, before any of it has run.
struct PointCost {
  double set_up_seconds = 0;
  double work_seconds = 0;
  std::string kind;  ///< points of one kind deviate from the estimate by the same factor
  bool simulated = true;
};

/// Cost and progress of one point of a series.
struct PointCourse {
  PointCost cost;
  workloads::RunPosition position;
};

/// Estimates the seconds until all of `points`, which run in order and `at_once` at a time, have
/// ended. A point at work is extrapolated from its own progress. Points that wait, or have no
/// progress yet, take their estimated cost, scaled by the factor of others of the kind or, without
/// any, of all. Failed points count as 0.
double seconds_left(const std::vector<PointCourse>& points, std::size_t at_once);

/// Seconds until the point at work has ended if it runs to its latest end; negative if unknown.
double most_seconds_left(const PointCourse& point);

}  // namespace verbena::experiments
