// A figure: the points to measure, how to show them, and the published values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/resolve.h"
#include "experiments/plot/gnuplot.h"
#include "experiments/points/measuring_command.h"
#include "experiments/reproduce/figure/comparison.h"

namespace verbena::experiments {

/// One bench or run.
struct FigurePoint {
  std::string at;  ///< `at` as a number; of a category its index
  double x = 0;    ///< the same as a number; of a category its index
  MeasuringCommand command;
  std::string quantity;            ///< of this point; empty: the figure's
  std::optional<double> measured;  ///< published value for exactly these settings, in the y unit
  CommandLine line = {};           ///< what `command` was resolved from; see again.h
};

struct FigureSeries {
  std::string name;   ///< as claims call it; see name_as
  std::string label;  ///< in the legend
  std::vector<FigurePoint> points;
  std::vector<std::pair<double, double>> published;  ///< x and y, shown as points in the plot
};

/// Relation between our values and the published ones that a claim demands.
enum class Relation {
  kUpTo,     ///< our maximum (or largest drop) is within 10 % of it
  kAbout,    ///< our value is within 10 %
  kRange,    ///< our smallest is within 10 % of the lower end, our largest of the upper
  kAtLeast,  ///< our smallest is not below it
  kTriple,   ///< several numbers, each within 10 % of its published one
  kOrdering  ///< comparisons that hold at every point
};

/// One statement of the publication.
struct Claim {
  std::string id;
  std::string text;
  Relation relation = Relation::kAbout;
  std::vector<std::string> values;  ///< expressions (see expression.h): one, several for kTriple
  std::vector<double> published;    ///< one number, two for kRange, none for kOrdering
  std::string unit;
  bool left_out = false;  ///< a quick figure lacks points that it needs
  std::string as;         ///< judges only series measured as this (see name_as)

  /// "D38", or "D38 (ours)".
  std::string name() const { return as.empty() ? id : id + " (" + as + ")"; }
};

/// A statement of the publication that is not judged.
struct NotJudged {
  std::string id;
  std::string text;
  std::string why;
};

/// A quantity on an axis, see quantity.h.
struct QuantityAxis {
  std::string label;
  std::string unit;
  std::string quantity;
};

struct Figure {
  std::string name;    ///< "drtmh/5a"
  std::string preset;  ///< preset whose settings all points have; empty: none
  std::string title;
  std::string source;
  std::string x_label;
  std::string x_unit;
  std::string y_label;
  std::string y_unit;
  std::string quantity;  ///< the quantity on the y axis, see quantity.h
  AxisScale x_scale = AxisScale::kLinear;
  /// Quantity for the x axis instead of the points' places; lines connect points in the order of
  /// places. Example: latency against throughput.
  std::optional<QuantityAxis> against;
  bool quick = false;   ///< has fewer places than the file
  bool steady = false;  ///< its runs begin to measure when they have come to rest
  /// Limit on measuring its points longer until claims are decided, as a multiple of what it says;
  /// 0: not given.
  std::uint32_t decide_within = 0;
  std::vector<FigureSeries> series;
  std::vector<Claim> claims;
  std::vector<NotJudged> not_judged;
  std::optional<Comparison> comparison;  ///< of a table of words, with nothing to measure
  /// For sets of values measured point by point: the largest mean relative error that counts as
  /// reproduced.
  std::optional<double> error_limit;
};

/// Name of a series that is measured with another preset than its figure's: "drtmh@ours". An empty
/// `as` leaves the name unchanged.
std::string name_as(const std::string& series, const std::string& as);

/// Greatest value of Figure::decide_within.
inline constexpr std::uint32_t kLongestDecision = 10'000;

/// Value of `as` for measuring without a preset.
inline constexpr const char* kOurs = "ours";

/// Name of a relation in figure files: "up to", "about", ...
const char* relation_name(Relation relation);

}  // namespace verbena::experiments
