// Intervals of points, carried on to what is computed of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/points/quantity_interval.h"
#include "experiments/reproduce/figure/expression.h"

namespace verbena::experiments {

/// A point of a curve and what is known of it.
struct UncertainPoint {
  CurvePoint point;
  /// The measurement: points with the same one have the same error. Two quantities of one run
  /// have two, though they err together: what divides one by the other is known better than is
  /// said.
  std::string source;
  std::optional<QuantityInterval> interval;  ///< nothing: not known
};

/// As CurveLookup.
using UncertainLookup = std::function<std::vector<UncertainPoint>(const std::string& series,
                                                                  const std::string& quantity)>;

/// Computes numbers of curves: as many at each call, NaN for one that is unknown.
using Statistics = std::function<std::vector<double>(const CurveLookup& lookup)>;

/// How much a point moves the first statistic.
struct PointInfluence {
  std::string series;
  std::string at;
  bool known = true;  ///< it has an interval; else it counts as kSupposed
  double effect = 0;  ///< by how much its interval can move the statistic
};

/// Supposed of a point without an interval when its influence is asked for: half of one, of
/// its value.
inline constexpr double kSupposed = 0.05;

/// The statistics and their 95 % intervals.
struct Propagated {
  std::vector<double> values;               ///< of the points as they were measured
  std::vector<QuantityInterval> intervals;  ///< of known points; their ends are NaN where unknown
  double positive = 0;  ///< in what share of all draws the first statistic is not below zero
  std::vector<PointInfluence> influences;  ///< of points that move the first one, the largest first
};

/// Draws the points that have intervals many times, independently, from Student's distribution on
/// either side of their values, and computes the statistics of each draw: so ratios, maxima and
/// orderings have intervals too, whatever they hang on. An interval is what leaves out 2.5 % of the
/// draws at each end, joined with its mirror image about the value: the largest of several noisy
/// points is too large by chance, and draws add to that, where the mirror image takes away. The
/// same points give the same intervals, since seeds are made of what points are.
Propagated propagate(const UncertainLookup& lookup, const Statistics& statistics);

}  // namespace verbena::experiments
