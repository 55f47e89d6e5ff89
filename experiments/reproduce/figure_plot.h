// Figures as plots.
#pragma once

#include "experiments/plot/gnuplot.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// Makes the plot of a measured figure, with the published values.
Plot plot_of(const MeasuredFigure& measured);

}  // namespace verbena::experiments
