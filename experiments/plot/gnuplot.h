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
  /// Ends of its interval, drawn as a bar where they differ.
  double low = 0;
  double high = 0;

  bool has_interval() const { return low < high; }
};

/// A line, or the bars of one color.
struct PlotCurve {
  std::string label;
  std::vector<PlotPoint> points;  ///< none: it is not drawn
  std::vector<std::pair<double, double>> published;
};

/// One diagram.
struct Plot {
  std::string title;
  std::vector<std::string> subtitles = {};  ///< lines below the title: what is constant
  std::string x_label;                      ///< with its unit
  std::string y_label;
  /// Scale of the x axis; categories have bars, at whole x from 0.
  AxisScale scale = AxisScale::kLinear;
  bool x_from_zero = false;  ///< where the scale is linear
  /// Names of places on the x axis where it is not linear.
  std::vector<std::pair<std::string, double>> tics;
  std::vector<PlotCurve> curves;
};

/// "label [unit]", or the label alone.
std::string with_unit(const std::string& label, const std::string& unit);

/// True where no curve has a point, and nothing was published.
bool is_blank(const Plot& plot);

/// A script that draws `stem`.png and `stem`.svg in the directory in which gnuplot runs: what was
/// measured as lines, or as bars where the x axis has categories, what was published as points.
/// Empty when there is nothing to draw.
std::string gnuplot_script(const Plot& plot, const std::string& stem);

}  // namespace verbena::experiments
