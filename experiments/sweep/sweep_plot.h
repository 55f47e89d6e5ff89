// A measured sweep as plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/plot/gnuplot.h"
#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// What of the values lies where.
struct SweepAxes {
  std::string x;                    ///< empty: there is one place only, and nothing to draw
  std::vector<std::string> curves;  ///< whose combinations have a curve each
  std::vector<std::string> plots;   ///< whose combinations have a plot each
};

/// The axes that were asked for, or sensible ones: on the x axis the list with the most numbers, or
/// where there are none with the most values; curves for all others.
SweepAxes axes_of(const MeasuredSweep& measured);

/// The number that stands for a value on an axis: itself, of durations in microseconds. Nothing for
/// words.
std::optional<double> axis_number(const std::string& value);

/// The plots, none when there is a single place. Numbers that grow by factors lie on a logarithmic
/// axis; words are categories, with bars.
std::vector<Plot> sweep_plots(const MeasuredSweep& measured);

}  // namespace verbena::experiments
