// A measured sweep as plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/plot/gnuplot.h"
#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// Axes and curves, by the keys whose values they show.
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

/// The plots, none when there is a single place: of the quantity that was asked for, and where that
/// is throughput over nodes, of the throughput of each node, too. Numbers that grow by factors lie
/// on a logarithmic axis; words are categories, with bars.
std::vector<Plot> sweep_plots(const MeasuredSweep& measured);

/// Names of their files, without what they end in: "plot", or "plot-1" and so on where there are
/// several; of what is per node with "-per-node" behind.
std::vector<std::string> plot_stems(const MeasuredSweep& measured, const std::vector<Plot>& plots);

/// Tells that no measurement has a value of what `plot` shows, for which it was left out.
std::string blank_text(const Plot& plot);

}  // namespace verbena::experiments
