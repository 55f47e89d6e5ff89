// A measured sweep as plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/plot/gnuplot.h"
#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// Keys whose values the axes and curves show.
struct SweepAxes {
  std::string x;                    ///< empty: there is a single place and nothing to draw
  std::vector<std::string> curves;  ///< a curve for each combination of their values
  std::vector<std::string> plots;   ///< a plot for each combination of their values
};

/// Returns the axes that were asked for, or chooses them: on the x axis the list with the most
/// numbers or, without numbers, with the most values; curves for all other lists.
SweepAxes axes_of(const MeasuredSweep& measured);

/// Returns the number for a value on an axis: the value itself, or microseconds for a duration.
/// Nothing for words.
std::optional<double> axis_number(const std::string& value);

/// Makes the plots; none when there is a single place. They show the chosen quantity and, for
/// throughput over nodes, also the throughput per node. Numbers that grow by factors get a
/// logarithmic axis; words are categories with bars.
std::vector<Plot> sweep_plots(const MeasuredSweep& measured);

/// Names of the plots' files without extensions: "plot", or "plot-1" and so on for several; with
/// the suffix "-per-node" for values per node.
std::vector<std::string> plot_stems(const MeasuredSweep& measured, const std::vector<Plot>& plots);

/// True for names that plot_stems gives.
bool is_plot_stem(const std::string& name);

/// Message that `plot` was omitted because no measurement has its quantity.
std::string blank_text(const Plot& plot);

}  // namespace verbena::experiments
