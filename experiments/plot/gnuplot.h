// Plots as scripts for gnuplot.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace verbena::experiments {

enum class AxisScale { kLinear, kLog2, kCategories };

/// A measured value.
struct PlotPoint {
  double x = 0;
  double y = 0;
  /// Ends of its 95 % interval, drawn as a bar where they differ.
  double low = 0;
  double high = 0;

  bool has_interval() const { return low < high; }
};

/// A line, or the bars of one color.
struct PlotCurve {
  std::string label;
  std::vector<PlotPoint> points;  ///< may be empty: the curve is not drawn
  std::vector<std::pair<double, double>> published;
};

/// One diagram.
struct Plot {
  std::string title;
  std::vector<std::string> subtitles = {};  ///< lines below the title: constant settings
  std::string x_label;                      ///< with its unit
  std::string y_label;
  /// Scale of the x axis. Categories have bars, at whole numbers from 0.
  AxisScale scale = AxisScale::kLinear;
  bool x_from_zero = false;  ///< only where the scale is linear
  /// Labels of positions on an x axis that is not linear.
  std::vector<std::pair<std::string, double>> tics;
  std::vector<PlotCurve> curves;
};

/// "label [unit]", or the label alone.
std::string with_unit(const std::string& label, const std::string& unit);

/// True if no curve has measured or published points.
bool is_blank(const Plot& plot);

/// Returns a script that draws `stem`.png and `stem`.svg in gnuplot's working directory: measured
/// values as lines, or as bars where the x axis has categories; published values as points. Empty
/// when there is nothing to draw.
std::string gnuplot_script(const Plot& plot, const std::string& stem);

/// True if `stem`.gnuplot is a script that gnuplot_script made.
bool has_own_script(const std::string& stem);

}  // namespace verbena::experiments
