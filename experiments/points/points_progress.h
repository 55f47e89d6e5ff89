// News of points that are being measured.
#pragma once

#include <cstddef>
#include <vector>

#include "experiments/points/measuring_command.h"
#include "experiments/points/progress_board.h"
#include "experiments/points/time_left.h"
#include "experiments/report/progress.h"

namespace verbena::experiments {

/// About what it takes to measure that, by its size; what the machine is like is not known.
PointCost cost_of(const MeasuringCommand& command);

/// News of a run alone: its stage, how far it is, and about how long it takes still.
ProgressText run_progress_text(const PointCourse& point);

/// News of a series whose points run `at_once` at once, `seconds` after it began: how much of its
/// time is over, how much is left, and where the points are that are at work. The part that is over
/// is no smaller than `told`, what was told before: what is left may turn out to be longer.
ProgressText series_progress_text(const std::vector<PointCourse>& points, std::size_t at_once,
                                  double seconds, double told = 0);

/// The course of each point, at this moment.
std::vector<PointCourse> courses_of(const std::vector<PointCost>& costs,
                                    const ProgressBoard& board);

}  // namespace verbena::experiments
