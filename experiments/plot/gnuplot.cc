// Data blocks, axes, and one plot command for both formats.
#include "experiments/plot/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace verbena::experiments {
namespace {

// Okabe and Ito's colors, which most people can tell apart.
constexpr std::array<const char*, 8> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#56b4e9", "#e69f00", "#000000", "#999999"};
// Filled, so that the line goes on in them; circles are what was published.
constexpr std::array kMarkers = {5, 9, 13, 11};
constexpr double kGroupWidth = 0.8;
// The data block of the first curve.
constexpr const char* kFirstLine = "$ours0 << END";

// In single quotes, where gnuplot runs no commands.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

// Lines, in gnuplot's own words.
std::string title_of(const Plot& plot) {
  std::string text = quoted(plot.title);
  for (const std::string& line : plot.subtitles) text += " . \"\\n\" . " + quoted(line);
  return text;
}

bool is_categories(const Plot& plot) { return plot.scale == AxisScale::kCategories; }

bool has_intervals(const PlotCurve& curve) {
  return std::ranges::any_of(curve.points, &PlotPoint::has_interval);
}

// Where the bars of a curve stand beside the category's middle.
double bar_offset(const Plot& plot, std::size_t curve) {
  if (!is_categories(plot)) return 0;
  const auto count = static_cast<double>(plot.curves.size());
  return (static_cast<double>(curve) - (count - 1) / 2) * kGroupWidth / count;
}

std::string data_blocks(const Plot& plot) {
  std::string text;
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const PlotCurve& curve = plot.curves[c];
    const double offset = bar_offset(plot, c);
    const bool intervals = has_intervals(curve);
    text += fmt::format("$ours{} << END\n", c);
    for (const PlotPoint& point : curve.points) {
      text += fmt::format("{:.6g} {:.6g}", point.x + offset, point.y);
      if (intervals) {
        const bool own = point.has_interval();
        text +=
            fmt::format(" {:.6g} {:.6g}", own ? point.low : point.y, own ? point.high : point.y);
      }
      text += "\n";
    }
    text += fmt::format("END\n$published{} << END\n", c);
    for (const auto& [x, y] : curve.published) {
      text += fmt::format("{:.6g} {:.6g}\n", x + offset, y);
    }
    text += "END\n";
  }
  return text;
}

std::string x_axis(const Plot& plot) {
  if (plot.scale == AxisScale::kLinear) return plot.x_from_zero ? "set xrange [0:*]\n" : "";
  std::string tics;
  double first = plot.tics.front().second;
  double last = first;
  for (const auto& [name, x] : plot.tics) {
    tics += fmt::format("{}{} {:.6g}", tics.empty() ? "" : ", ", quoted(name), x);
    first = std::min(first, x);
    last = std::max(last, x);
  }
  if (plot.scale == AxisScale::kLog2) {
    // Ranges that end at a tic may lose it to rounding.
    return fmt::format("set logscale x 2\nset xtics ({})\nset xrange [{:.6g}:{:.6g}]\n", tics,
                       first / 1.1, last * 1.1);
  }
  return fmt::format(
      "set xtics ({})\nset xrange [-0.6:{:.6g}]\nset boxwidth {:.6g}\nset style fill solid 0.7\n",
      tics, last + 0.6, 0.9 * kGroupWidth / static_cast<double>(plot.curves.size()));
}

std::string plot_command(const Plot& plot) {
  std::string items;
  bool published = false;
  const auto add = [&](const std::string& item) {
    items += (items.empty() ? "" : ", \\\n  ") + item;
  };
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const PlotCurve& curve = plot.curves[c];
    if (curve.points.empty()) continue;
    const char* color = kColors[c % kColors.size()];
    const bool bars = is_categories(plot);
    const std::string style =
        bars ? "boxes"
             : fmt::format("linespoints linewidth 2 pointtype {} pointsize 0.8",
                           kMarkers[c % kMarkers.size()]);
    add(fmt::format("$ours{} using 1:2 with {} linecolor rgb \"{}\" title {}", c, style, color,
                    quoted(curve.label)));
    if (!has_intervals(curve)) continue;
    // Vectors, since error bars blank out what is below their middle.
    add(
        fmt::format("$ours{} using 1:3:(0):($4-$3) with vectors heads size graph 0.004,90 "
                    "linecolor rgb \"{}\" notitle",
                    c, bars ? "#000000" : color));
  }
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    if (plot.curves[c].published.empty()) continue;
    published = true;
    const char* color = is_categories(plot) ? "#000000" : kColors[c % kColors.size()];
    add(
        fmt::format("$published{} with points pointtype 7 pointsize 0.9 linecolor rgb \"{}\" "
                    "notitle",
                    c, color));
  }
  if (published)
    add("keyentry with points pointtype 7 linecolor rgb \"black\" title \"published\"");
  return items.empty() ? "" : "plot " + items + "\n";
}

}  // namespace

std::string with_unit(const std::string& label, const std::string& unit) {
  return unit.empty() ? label : fmt::format("{} [{}]", label, unit);
}

bool is_blank(const Plot& plot) { return plot_command(plot).empty(); }

std::string gnuplot_script(const Plot& plot, const std::string& stem) {
  const std::string command = plot_command(plot);
  if (command.empty()) return "";
  std::string text = data_blocks(plot);
  text +=
      fmt::format("set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
                  title_of(plot), quoted(plot.x_label), quoted(plot.y_label));
  text +=
      "set xtics noenhanced\nset key below height 1 noenhanced\nset grid ytics\n"
      "set yrange [0:*]\nset offsets graph 0, graph 0.02, graph 0.05, 0\n";
  text += x_axis(plot);
  for (const auto& [terminal, suffix] :
       {std::pair{"pngcairo size 1000,600 font \"sans,11\"", "png"},
        std::pair{"svg size 1000,600 font \"sans,14\" background rgb \"white\"", "svg"}}) {
    text += fmt::format("set terminal {}\nset output {}\n{}set output\n", terminal,
                        quoted(stem + "." + suffix), command);
  }
  return text;
}

bool has_own_script(const std::string& stem) {
  const std::string script = stem + ".gnuplot";
  std::error_code error;
  if (!std::filesystem::is_regular_file(script, error)) return false;  // A pipe may never end.
  std::ifstream stream(script);
  std::string first;
  return std::getline(stream, first) && first == kFirstLine;
}

}  // namespace verbena::experiments
