// Progress of points that are being measured.
#pragma once

#include <cstddef>
#include <vector>

#include "experiments/points/measuring_command.h"
#include "experiments/points/progress_board.h"
#include "experiments/points/time_left.h"
#include "experiments/report/progress.h"

namespace verbena::experiments {

/// Estimates the cost of measuring `command` from its size, without knowing the machine.
PointCost cost_of(const MeasuringCommand& command);

/// Progress of a single run: its stage, the share that is done, and the estimated time left.
ProgressText run_progress_text(const PointCourse& point);

/// Progress of a series `seconds` after it began, with `at_once` points at a time: the share of its
/// time that is over, the time left, and the positions of the points at work. The share is no
/// smaller than `told`, the one that was told before, even if more time is left than was expected.
ProgressText series_progress_text(const std::vector<PointCourse>& points, std::size_t at_once,
                                  double seconds, double told = 0);

/// Current course of each point.
std::vector<PointCourse> courses_of(const std::vector<PointCost>& costs,
                                    const ProgressBoard& board);

}  // namespace verbena::experiments
