// Expressions on a figure's series, the language of its claims.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace verbena::experiments {

/// One point of a curve. Arithmetic on two curves pairs points with equal `at`.
struct CurvePoint {
  std::string at;  ///< the place on the x axis, as text: "64", "+CO"
  double x = 0;    ///< `at` as a number; of a category its index
  double y = 0;    ///< NaN where nothing was measured
};

using Curve = std::vector<CurvePoint>;

/// Result of a comparison.
struct Ordering {
  bool known = true;  ///< false when it depends on something that was not measured
  bool holds = true;
  std::string where;         ///< the first place that violates it, with both sides and values
  std::string numbers;       ///< sides of each comparison of numbers: "5.2 < 6.1, 7 < 9"
  std::size_t places = 0;    ///< number of places compared; two numbers are one place
  std::size_t left_out = 0;  ///< places that only one side has, in the whole expression
  /// Smallest margin of all places: the difference of both sides relative to the larger one,
  /// negative where the comparison does not hold.
  double margin = std::numeric_limits<double>::infinity();
};

using Value = std::variant<double, Curve, Ordering>;

/// Finds the curve of a series for a quantity; empty stands for the quantity of the figure's y
/// axis. Throws ConfigurationError for unknown names.
using CurveLookup = std::function<Curve(const std::string& series, const std::string& quantity)>;

// clang-format off
/// Evaluates `text`, which is one of
///
///     number                            1.5
///     series, series.quantity           read, read.p99
///     curve[selection]                  read[64] read[<=64] read[8..64] read["+CO"] read[8, 64]
///     a + b, a - b, a * b, a / b, -a    point by point where curves are involved
///     max(a), min(a), mean(a)           over the points of a curve
///     a < b, a <= b, a > b, a >= b      an ordering: holds if it does wherever both have a value
///     o and p                           both orderings hold
///     ( ... )
///
/// A selection of one place gives a number, any other a curve. Unmeasured values and results of a
/// division by zero are unknown. Throws ConfigurationError, naming the column, for a syntax error,
/// for mixed kinds, and when a selection or pairing is empty.
// clang-format on
Value evaluate(std::string_view text, const CurveLookup& lookup);

}  // namespace verbena::experiments
