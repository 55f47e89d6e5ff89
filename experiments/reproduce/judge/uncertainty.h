// Propagates intervals of points to values computed from them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/points/quantity_interval.h"
#include "experiments/reproduce/figure/expression.h"

namespace verbena::experiments {

/// A point of a curve, with its interval.
struct UncertainPoint {
  CurvePoint point;
  /// Identifies the measurement: points with the same one have the same error. Two quantities of
  /// one run have different ones although their errors are correlated, so the interval of their
  /// ratio is too wide.
  std::string source;
  std::optional<QuantityInterval> interval;  ///< nothing: unknown
};

/// Finds a curve as CurveLookup does, with intervals.
using UncertainLookup = std::function<std::vector<UncertainPoint>(const std::string& series,
                                                                  const std::string& quantity)>;

/// Computes numbers from curves: the same number of them at each call, NaN for unknown ones.
using Statistics = std::function<std::vector<double>(const CurveLookup& lookup)>;

/// Influence of a point on the first statistic.
struct PointInfluence {
  std::string series;
  std::string at;
  bool known = true;  ///< true: it has an interval; false: kSupposed is taken instead
  double effect = 0;  ///< greatest change of the statistic within the interval
};

/// Half-width of the interval, relative to the value, that is assumed for a point without one when
/// its influence is computed.
inline constexpr double kSupposed = 0.05;

/// Statistics and their 95 % intervals.
struct Propagated {
  std::vector<double> values;               ///< computed from the measured points
  std::vector<QuantityInterval> intervals;  ///< from the points' intervals; NaN ends where unknown
  double positive = 0;  ///< share of all draws in which the first statistic is not negative
  std::vector<PointInfluence> influences;  ///< of points that matter to the first, the largest
                                           ///< first
};

/// Draws the points that have intervals many times, independently, from Student's distribution
/// around their values, and computes the statistics of each draw. So ratios, maxima and orderings
/// get intervals too. An interval excludes 2.5 % of the draws at each end, joined with its mirror
/// image about the value: the maximum of noisy points is biased upwards, draws double that bias,
/// and the mirror image removes it. Seeds depend on the points alone, so equal points give equal
/// intervals.
Propagated propagate(const UncertainLookup& lookup, const Statistics& statistics);

}  // namespace verbena::experiments
