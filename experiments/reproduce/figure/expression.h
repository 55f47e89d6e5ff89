// The language in which a figure's claims speak of its series.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace verbena::experiments {

/// One point of a curve. Arithmetic on two curves pairs points of equal `at`.
struct CurvePoint {
  std::string at;  ///< the place on the x axis, as text: "64", "+CO"
  double x = 0;    ///< the same as a number; of a category its index
  double y = 0;    ///< NaN where nothing was measured
};

using Curve = std::vector<CurvePoint>;

/// Result of a comparison.
struct Ordering {
  bool known = true;  ///< false when something that it needs was not measured
  bool holds = true;
  std::string where;         ///< the first place that breaks it, with both sides and values
  std::string numbers;       ///< of each comparison of two numbers its sides: "5.2 < 6.1, 7 < 9"
  std::size_t places = 0;    ///< at which it was judged; a number is one
  std::size_t left_out = 0;  ///< places that one side only has, of the whole expression
  /// By how much the place holds that is closest to breaking it, or is most broken: the difference
  /// of its sides, of the larger one; below zero where it does not hold.
  double margin = std::numeric_limits<double>::infinity();
};

using Value = std::variant<double, Curve, Ordering>;

/// The curve of a series in one quantity; an empty quantity means that of the figure's y axis.
/// Throws ConfigurationError for names that do not exist.
using CurveLookup = std::function<Curve(const std::string& series, const std::string& quantity)>;

// clang-format off
/// The value of `text`, which is one of
///
///     number                            1.5
///     series, series.quantity           read, read.p99
///     curve[selection]                  read[64] read[<=64] read[8..64] read["+CO"] read[8, 64]
///     a + b, a - b, a * b, a / b, -a    point by point where curves are involved
///     max(a), min(a), mean(a)           over the points of a curve
///     a < b, a <= b, a > b, a >= b      an ordering: whether it holds wherever both have a value
///     o and p                           both orderings hold
///     ( ... )
///
/// Selecting one place gives a number, everything else a curve. What is divided by zero is unknown,
/// as what was not measured. Throws ConfigurationError, naming the column, for what is no such
/// text, mixes kinds, or selects or pairs no points.
// clang-format on
Value evaluate(std::string_view text, const CurveLookup& lookup);

}  // namespace verbena::experiments
