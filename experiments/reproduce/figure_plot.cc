// Data blocks, axes, and one plot command for both formats.
#include "experiments/reproduce/figure_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace verbena::experiments {
namespace {

// Okabe and Ito's colors, which most people can tell apart.
constexpr std::array<const char*, 8> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#56b4e9", "#e69f00", "#000000", "#999999"};
constexpr double kGroupWidth = 0.8;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

std::string axis_label(const std::string& label, const std::string& unit) {
  return quoted(unit.empty() ? label : fmt::format("{} [{}]", label, unit));
}

bool is_categories(const Figure& figure) {
  return figure.x_scale == AxisScale::kCategories && !figure.against;
}

// Where the bars of a series stand beside the category's middle.
double bar_offset(const Figure& figure, std::size_t series) {
  if (!is_categories(figure)) return 0;
  const auto count = static_cast<double>(figure.series.size());
  return (static_cast<double>(series) - (count - 1) / 2) * kGroupWidth / count;
}

std::string data_blocks(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  std::string text;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const FigureSeries& series = figure.series[s];
    const double offset = bar_offset(figure, s);
    text += fmt::format("$ours{} << END\n", s);
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const auto value = measured.value(s, p);
      const auto x = figure.against ? measured.against(s, p) : series.points[p].x + offset;
      if (value && x) text += fmt::format("{:.6g} {:.6g}\n", *x, *value);
    }
    text += fmt::format("END\n$published{} << END\n", s);
    for (const auto& [x, y] : series.published) {
      text += fmt::format("{:.6g} {:.6g}\n", x + offset, y);
    }
    text += "END\n";
  }
  return text;
}

bool has_values(const MeasuredFigure& measured, std::size_t series) {
  const auto& results = measured.results[series];
  return std::any_of(results.begin(), results.end(), [](const auto& r) { return r.has_value(); });
}

std::string x_axis(const Figure& figure) {
  if (figure.against) return "set xrange [0:*]\n";
  if (figure.x_scale == AxisScale::kLinear) return "";
  std::string tics;
  std::set<double> seen;
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      if (!seen.insert(point.x).second) continue;
      tics += fmt::format("{}{} {:.6g}", tics.empty() ? "" : ", ", quoted(point.at), point.x);
    }
  }
  if (figure.x_scale == AxisScale::kLog2) {
    // Ranges that end at a tic may lose it to rounding.
    return fmt::format("set logscale x 2\nset xtics ({})\nset xrange [{:.6g}:{:.6g}]\n", tics,
                       *seen.begin() / 1.1, *seen.rbegin() * 1.1);
  }
  return fmt::format(
      "set xtics ({})\nset xrange [-0.6:{:.6g}]\nset boxwidth {:.6g}\nset style fill solid 0.7\n",
      tics, *seen.rbegin() + 0.6, 0.9 * kGroupWidth / static_cast<double>(figure.series.size()));
}

std::string plot_command(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  std::string items;
  bool published = false;
  const auto add = [&](const std::string& item) {
    items += (items.empty() ? "" : ", \\\n  ") + item;
  };
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    if (!has_values(measured, s)) continue;
    const char* style = is_categories(figure) ? "boxes" : "linespoints linewidth 2 pointtype 1";
    add(fmt::format("$ours{} with {} linecolor rgb \"{}\" title {}", s, style,
                    kColors[s % kColors.size()], quoted(figure.series[s].label)));
  }
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    if (figure.series[s].published.empty()) continue;
    published = true;
    const char* color = is_categories(figure) ? "#000000" : kColors[s % kColors.size()];
    add(
        fmt::format("$published{} with points pointtype 7 pointsize 0.9 linecolor rgb \"{}\" "
                    "notitle",
                    s, color));
  }
  if (published)
    add("keyentry with points pointtype 7 linecolor rgb \"black\" title \"published\"");
  return items.empty() ? "" : "plot " + items + "\n";
}

}  // namespace

std::string gnuplot_script(const MeasuredFigure& measured, const std::string& stem) {
  const Figure& figure = *measured.figure;
  const std::string plot = plot_command(measured);
  if (plot.empty()) return "";
  std::string text = data_blocks(measured);
  text += fmt::format(
      "set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
      quoted(fmt::format("{}: {}{}", figure.name, figure.title, figure.quick ? " (quick)" : "")),
      figure.against ? axis_label(figure.against->label, figure.against->unit)
                     : axis_label(figure.x_label, figure.x_unit),
      axis_label(figure.y_label, figure.y_unit));
  text +=
      "set xtics noenhanced\nset key below height 1 noenhanced\nset grid ytics\n"
      "set yrange [0:*]\nset offsets graph 0, 0, graph 0.05, 0\n";
  text += x_axis(figure);
  for (const auto& [terminal, suffix] :
       {std::pair{"pngcairo size 1000,600 font \"sans,11\"", "png"},
        std::pair{"svg size 1000,600 font \"sans,14\" background rgb \"white\"", "svg"}}) {
    text += fmt::format("set terminal {}\nset output {}\n{}set output\n", terminal,
                        quoted(stem + "." + suffix), plot);
  }
  return text;
}

}  // namespace verbena::experiments
