// Measuring the points of figures, those that were not measured before.
#pragma once

#include <vector>

#include "experiments/config/command_options.h"
#include "experiments/reproduce/figure.h"
#include "experiments/reproduce/judge.h"
#include "experiments/reproduce/point_store.h"
#include "experiments/reproduce/process_pool.h"

namespace verbena::experiments {

/// What came of it.
struct Measuring {
  std::vector<MeasuredFigure> figures;
  std::size_t points = 0;  ///< different ones
  std::size_t reused = 0;  ///< results that were there
  std::size_t finished = 0;
  std::vector<std::string> failures;  ///< "COMMAND LINE: why", one per failed point
  int signal = 0;                     ///< that interrupted it; 0: none
};

/// Measures every point of `figures`, which must outlive the result, in processes of this program;
/// shows progress on a terminal. Points with equal settings are measured once.
Measuring measure(const ReproduceCommand& command, const std::vector<Figure>& figures,
                  PointStore& store, const ProcessPool& pool);

}  // namespace verbena::experiments
