// How long a series takes still, from what its points did so far.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workloads/measure/run_progress.h"

namespace verbena::experiments {

/// About what a point takes on some machine, before anything of it is known.
struct PointCost {
  double set_up_seconds = 0;
  double work_seconds = 0;
  std::string kind;  ///< points of a kind differ from what was expected by one factor
  bool simulated = true;
};

/// One point of a series.
struct PointCourse {
  PointCost cost;
  workloads::RunPosition position;
};

/// Seconds until all of `points` have ended, of which `at_once` run at once, in their order. A
/// point at work has as far to go as its own progress says; where that says nothing yet, and for
/// points that wait, what was expected is scaled by how others of its kind differ from that, or
/// else any. Those that failed count for nothing.
double seconds_left(const std::vector<PointCourse>& points, std::size_t at_once);

/// Seconds until the point at work has ended if it goes on to its latest end; negative where that
/// is not known.
double most_seconds_left(const PointCourse& point);

}  // namespace verbena::experiments
