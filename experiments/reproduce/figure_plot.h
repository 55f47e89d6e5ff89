// Figures as plots.
#pragma once

#include "experiments/plot/gnuplot.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// What was measured of a figure, with what was published.
Plot plot_of(const MeasuredFigure& measured);

}  // namespace verbena::experiments
