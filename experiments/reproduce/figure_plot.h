// Figures as plots.
#pragma once

#include "experiments/plot/gnuplot.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// Plot of a figure as it was measured, with what was published.
Plot plot_of(const MeasuredFigure& measured);

}  // namespace verbena::experiments
