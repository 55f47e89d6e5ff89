// A figure: which points to measure, how to show them, and what was published of it.
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
  std::string at;  ///< the place on the x axis, as text
  double x = 0;    ///< the same as a number; of a category its index
  MeasuringCommand command;
  std::string quantity;            ///< of this place or series; empty: the figure's
  std::optional<double> measured;  ///< what was published for exactly these settings, in the y unit
  CommandLine line = {};           ///< what `command` was resolved from; see again.h
};

struct FigureSeries {
  std::string name;   ///< in claims; see name_as
  std::string label;  ///< in the legend
  std::vector<FigurePoint> points;
  std::vector<std::pair<double, double>> published;  ///< x and y, shown as points in the plot
};

/// How a claim compares what we have with what was published.
enum class Relation {
  kUpTo,     ///< a maximum (or the largest drop): within 10 % of it
  kAbout,    ///< within 10 %
  kRange,    ///< the smallest within 10 % of the lower end, the largest of the upper
  kAtLeast,  ///< the smallest not below
  kTriple,   ///< several numbers, each within 10 % of its own
  kOrdering  ///< comparisons that hold at every point
};

/// One statement of the publication.
struct Claim {
  std::string id;
  std::string text;
  Relation relation = Relation::kAbout;
  std::vector<std::string> values;  ///< expressions (see expression.h); one, but for kTriple
  std::vector<double> published;    ///< one; two for kRange; none for kOrdering
  std::string unit;
  bool left_out = false;  ///< for points that a quick figure does not have
  std::string as;         ///< of which series it speaks (name_as): those measured as that

  /// "D38", or "D38 (ours)".
  std::string name() const { return as.empty() ? id : id + " (" + as + ")"; }
};

/// A statement that is not judged.
struct NotJudged {
  std::string id;
  std::string text;
  std::string why;
};

/// A quantity that is drawn, see quantity.h.
struct QuantityAxis {
  std::string label;
  std::string unit;
  std::string quantity;
};

struct Figure {
  std::string name;    ///< "drtmh/5a"
  std::string preset;  ///< whose settings all points have; empty: none
  std::string title;
  std::string source;
  std::string x_label;
  std::string x_unit;
  std::string y_label;
  std::string y_unit;
  std::string quantity;  ///< what is drawn, see quantity.h
  AxisScale x_scale = AxisScale::kLinear;
  /// Points lie at this instead of their places on the x axis, and their lines go from place to
  /// place: latency against throughput, say.
  std::optional<QuantityAxis> against;
  bool quick = false;   ///< has fewer places than the file
  bool steady = false;  ///< its runs find out when they have come to rest, and measure then
  /// How many times as long as it says its points may be measured until claims are decided; 0: not
  /// said.
  std::uint32_t decide_within = 0;
  std::vector<FigureSeries> series;
  std::vector<Claim> claims;
  std::vector<NotJudged> not_judged;
  std::optional<Comparison> comparison;  ///< of tables of words, which have nothing to measure
  /// For sets that were measured point by point: the largest mean relative error that counts as
  /// reproduced.
  std::optional<double> error_limit;
};

/// Name of a series that is measured as something else than its figure says: "drtmh@ours".
/// Where it is not, `as` is empty.
std::string name_as(const std::string& series, const std::string& as);

/// The largest Figure::decide_within.
inline constexpr std::uint32_t kLongestDecision = 10'000;

/// Measured without preset.
inline constexpr const char* kOurs = "ours";

/// "up to", "about", ...: as figure files spell it.
const char* relation_name(Relation relation);

}  // namespace verbena::experiments
