// Verdicts: measurements against what was published.
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

/// How far a claim's value may be from the published one, relative to it.
inline constexpr double kTolerance = 0.1;

/// A claim's standing.
enum class Standing : std::uint8_t {
  kUnknown,  ///< a point that it needs has no result
  kHolds,  ///< whatever chance leaves open, at 95 %; or the value does, where no interval is known
  kOff,    ///< likewise
  kUndecided,  ///< the interval has values with which it holds and some with which it does not
};

/// "holds", "off", "undecided" or "unknown".
const char* standing_name(Standing outcome);

/// A judgement and how sure it is.
struct Judged {
  Standing outcome = Standing::kUnknown;
  double probability = 0;      ///< of draws within the points' intervals, how many hold
  bool interval_known = true;  ///< false where a point that matters has none
  bool doubtful = false;       ///< such points could change the outcome, see kSupposed
  std::vector<PointInfluence> influences = {};  ///< of points that matter, the largest first
  std::size_t unsteady = 0;                     ///< of these, those that had not come to rest

  bool known() const { return outcome != Standing::kUnknown; }
  bool holds() const { return outcome == Standing::kHolds; }
};

/// The outcome for one claim.
struct ClaimVerdict : Judged {
  std::vector<double> ours;  ///< as `published`: one, two for a range, none for an ordering
  double off = 0;            ///< relative distance, of the one that is farthest; 0 for orderings
  std::optional<Interval95> off_interval = {};  ///< 95 %, of what is known of the points
  std::size_t places = 0;                       ///< at which an ordering was judged
  std::size_t left_out = 0;  ///< places that one of an ordering's curves only has
  std::string published_text;
  std::string ours_text;
  std::string verdict;  ///< "holds: +4.1 % (+3.0 to +5.2 %, 10 % allowed)", "not measured", ...
};

/// How far a set that was measured point by point is from us.
struct SetVerdict : Judged {
  double mean_error = 0;                               ///< mean of absolute relative errors
  std::optional<Interval95> mean_error_interval = {};  ///< 95 %, of what is known of the points
  double largest_error = 0;                            ///< relative, signed
  std::string largest_at;  ///< the point of the largest: "8 outstanding, threads 96"
  std::size_t points = 0;
  std::string verdict;  ///< "holds", "missed", "undecided (8.9 to 10.3 %)", "not measured"
};

/// A figure and what was measured of it.
struct MeasuredFigure {
  const Figure* figure = nullptr;
  /// By series and point; no result where the point failed or was never measured.
  std::vector<std::vector<std::optional<PointResult>>> results;
  /// Likewise: the same with other seeds, in addition to it; where that was done.
  std::vector<std::vector<std::vector<PointResult>>> repeats = {};
  std::vector<ClaimVerdict> verdicts = {};     ///< by claim; see judge_all
  std::optional<SetVerdict> set_verdict = {};  ///< of a figure with an error limit; see judge_all

  /// The values of a series in a quantity, or, when that is empty, in what is drawn; NaN where
  /// there is no result.
  Curve curve(const std::string& series, const std::string& quantity) const;

  /// The same with what is known of each.
  std::vector<UncertainPoint> uncertain_curve(const std::string& series,
                                              const std::string& quantity) const;

  /// The value that is drawn; nothing where there is no result, or none of this quantity.
  std::optional<double> value(std::size_t series, std::size_t point) const;

  /// Its 95 % interval; nothing where that is not known.
  std::optional<QuantityInterval> interval(std::size_t series, std::size_t point) const;

  /// The command that was run: for longer than the figure says, where claims were not decided by
  /// that.
  std::string command_line(std::size_t series, std::size_t point) const;

  /// The value of Figure::against, where there is one.
  std::optional<double> against(std::size_t series, std::size_t point) const;

  /// A quantity of a point: of its runs, which are several where none tells its interval, the mean;
  /// NaN where there is no result.
  double value_of(std::size_t series, std::size_t point, const std::string& quantity) const;
  std::optional<QuantityInterval> interval_of_point(std::size_t series, std::size_t point,
                                                    const std::string& quantity) const;
};

/// Where a point is in its figure.
struct PointIndex {
  std::size_t series = 0;
  std::size_t point = 0;
};

/// The point of a series at a place, both of which the figure has.
PointIndex find_point(const Figure& figure, const std::string& series, const std::string& at);

/// Never throws for a claim of a loaded figure.
ClaimVerdict judge(const Claim& claim, const MeasuredFigure& measured);

/// Fills in the verdicts.
void judge_all(MeasuredFigure& measured);

/// Judges a figure with an error limit.
SetVerdict judge_set(const MeasuredFigure& measured);

}  // namespace verbena::experiments
