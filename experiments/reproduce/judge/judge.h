// Verdicts: our measurements compared with the published values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/points/point_result.h"
#include "experiments/reproduce/figure/expression.h"
#include "experiments/reproduce/figure/figure.h"
#include "experiments/reproduce/judge/uncertainty.h"

namespace verbena::experiments {

/// Greatest relative distance of a claim's value from the published one.
inline constexpr double kTolerance = 0.1;

/// Standing of a claim.
enum class Standing : std::uint8_t {
  kUnknown,    ///< a point that it needs has no result
  kHolds,      ///< holds over the whole 95 % interval or, where no interval is known, by its value
  kOff,        ///< is off over the whole 95 % interval, or by its value
  kUndecided,  ///< holds for some values of the interval and not for others
};

/// "holds", "off", "undecided" or "unknown".
const char* standing_name(Standing outcome);

/// A judgement and how sure it is.
struct Judged {
  Standing outcome = Standing::kUnknown;
  double probability = 0;      ///< share of draws from the points' intervals that hold
  bool interval_known = true;  ///< false when a point that matters has no interval
  bool doubtful = false;       ///< points without intervals could change the outcome, see kSupposed
  std::vector<PointInfluence> influences = {};  ///< points that matter, the most influential first
  std::size_t unsteady = 0;                     ///< number of these that had not come to rest

  bool known() const { return outcome != Standing::kUnknown; }
  bool holds() const { return outcome == Standing::kHolds; }
};

/// Verdict on one claim.
struct ClaimVerdict : Judged {
  std::vector<double> ours;  ///< our numbers: one, two for a range, none for an ordering
  double off = 0;            ///< relative distance of the farthest number; 0 for orderings
  std::optional<Interval95> off_interval = {};  ///< 95 % of `off`, from the points' intervals
  std::size_t places = 0;                       ///< places at which an ordering was judged
  std::size_t left_out = 0;  ///< places that only one of an ordering's curves has
  std::string published_text;
  std::string ours_text;
  std::string verdict;  ///< "holds: +4.1 % (+3.0 to +5.2 %, 10 % allowed)", "not measured", ...
};

/// Verdict on a set of values that was measured point by point.
struct SetVerdict : Judged {
  double mean_error = 0;                               ///< mean of absolute relative errors
  std::optional<Interval95> mean_error_interval = {};  ///< 95 %, from the points' intervals
  double largest_error = 0;                            ///< relative, signed
  std::string largest_at;  ///< the point with it: "8 outstanding, threads 96"
  std::size_t points = 0;
  std::string verdict;  ///< "holds", "missed", "undecided (8.9 to 10.3 %)", "not measured"
};

/// A figure and its measurements.
struct MeasuredFigure {
  const Figure* figure = nullptr;
  /// Results by series and point; nothing where the point failed or was never measured.
  std::vector<std::vector<std::optional<PointResult>>> results;
  /// Additional results with other seeds, by series and point; empty where there are none.
  std::vector<std::vector<std::vector<PointResult>>> repeats = {};
  std::vector<ClaimVerdict> verdicts = {};     ///< by claim; see judge_all
  std::optional<SetVerdict> set_verdict = {};  ///< of a figure with an error limit; see judge_all

  /// Values of a series for `quantity` or, when that is empty, for the drawn quantity; NaN where
  /// there is no result.
  Curve curve(const std::string& series, const std::string& quantity) const;

  /// Values of a series with their intervals.
  std::vector<UncertainPoint> uncertain_curve(const std::string& series,
                                              const std::string& quantity) const;

  /// The drawn value of a point; nothing where there is no result or it lacks the quantity.
  std::optional<double> value(std::size_t series, std::size_t point) const;

  /// The 95 % interval of the drawn value; nothing where it is unknown.
  std::optional<QuantityInterval> interval(std::size_t series, std::size_t point) const;

  /// The point's command as it was run: longer than the figure says, where claims were undecided
  /// otherwise.
  std::string command_line(std::size_t series, std::size_t point) const;

  /// Value of the quantity Figure::against of a point, if the figure has it.
  std::optional<double> against(std::size_t series, std::size_t point) const;

  /// Value of a quantity of a point: the mean of its runs, which are several where none has an
  /// interval; NaN where there is no result.
  double value_of(std::size_t series, std::size_t point, const std::string& quantity) const;
  std::optional<QuantityInterval> interval_of_point(std::size_t series, std::size_t point,
                                                    const std::string& quantity) const;
};

/// Indexes of a point in its figure.
struct PointIndex {
  std::size_t series = 0;
  std::size_t point = 0;
};

/// Finds the point of a series at a place. The figure must have both.
PointIndex find_point(const Figure& figure, const std::string& series, const std::string& at);

/// Judges a claim. Does not throw for a claim of a loaded figure.
ClaimVerdict judge(const Claim& claim, const MeasuredFigure& measured);

/// Judges all claims and the error limit, and stores the verdicts in `measured`.
void judge_all(MeasuredFigure& measured);

/// Judges a figure with an error limit.
SetVerdict judge_set(const MeasuredFigure& measured);

}  // namespace verbena::experiments
