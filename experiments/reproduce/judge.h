// What was measured against what was published.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/points/point_result.h"
#include "experiments/reproduce/expression.h"
#include "experiments/reproduce/figure.h"

namespace verbena::experiments {

/// A figure and what was measured of it.
struct MeasuredFigure {
  const Figure* figure = nullptr;
  /// By series and point; no result where the point failed or was never measured.
  std::vector<std::vector<std::optional<PointResult>>> results;

  /// The values of a series in a quantity, or, when that is empty, in what is drawn; NaN where
  /// there is no result.
  Curve curve(const std::string& series, const std::string& quantity) const;

  /// The value that is drawn; nothing where there is no result, or none of this quantity.
  std::optional<double> value(std::size_t series, std::size_t point) const;

  /// The value of Figure::against, where there is one.
  std::optional<double> against(std::size_t series, std::size_t point) const;
};

/// How far a claim's value may be from the published one, relative to it.
inline constexpr double kTolerance = 0.1;

/// The outcome for one claim.
struct ClaimVerdict {
  bool known = false;  ///< false when a point that it needs has no result
  bool holds = false;
  std::vector<double> ours;  ///< as `published`: one, two for a range, none for an ordering
  double off = 0;            ///< relative distance, of the one that is farthest; 0 for orderings
  std::size_t places = 0;    ///< at which an ordering was judged
  std::size_t left_out = 0;  ///< places that one of an ordering's curves only has
  std::string published_text;
  std::string ours_text;
  std::string verdict;  ///< "holds: +4.1 % (10 % allowed)", "off by +12.0 % (10 % allowed)",
                        ///< "fails at 64: ...", "not measured"
};

/// Never throws for a claim of a loaded figure.
ClaimVerdict judge(const Claim& claim, const MeasuredFigure& measured);

/// How far a set that was measured point by point is from us.
struct SetVerdict {
  bool known = false;
  bool holds = false;
  double mean_error = 0;     ///< mean of absolute relative errors
  double largest_error = 0;  ///< relative, signed
  std::string largest_at;    ///< the point of the largest: "8 outstanding, threads 96"
  std::size_t points = 0;
};

/// Of a figure with an error limit.
SetVerdict judge_set(const MeasuredFigure& measured);

}  // namespace verbena::experiments
