// Figures as scripts for gnuplot.
#pragma once

#include <string>

#include "experiments/reproduce/judge.h"

namespace verbena::experiments {

/// A script that draws `stem`.png and `stem`.svg in the directory in which gnuplot runs: what was
/// measured as lines, or as bars where the x axis has categories, what was published as points.
std::string gnuplot_script(const MeasuredFigure& measured, const std::string& stem);

}  // namespace verbena::experiments
