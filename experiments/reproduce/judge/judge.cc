// Relations between numbers, and mean errors.
#include "experiments/reproduce/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/config/keys/units.h"

namespace verbena::experiments {
namespace {

std::string number_text(double value, const std::string& unit) {
  return fmt::format("{}{}{}", format_plain(value, 3), unit.empty() || unit == "x" ? "" : " ",
                     unit);
}

std::string join_text(const std::vector<double>& values, const char* separator,
                      const std::string& unit) {
  std::string text;
  for (const double value : values)
    text += (text.empty() ? "" : separator) + format_plain(value, 3);
  return text + (unit.empty() || unit == "x" ? "" : " ") + unit;
}

std::string published_text(const Claim& claim) {
  switch (claim.relation) {
    case Relation::kUpTo:
    case Relation::kAtLeast:
    case Relation::kAbout:
      return fmt::format("{} {}", relation_name(claim.relation),
                         number_text(claim.published[0], claim.unit));
    case Relation::kRange:
      return join_text(claim.published, " to ", claim.unit);
    case Relation::kTriple:
      return join_text(claim.published, ", ", claim.unit);
    case Relation::kOrdering:
      return "holds";
  }
  return "";
}

struct Extremes {
  double low;
  double high;
};

// Unknown where one of a curve's points is.
Extremes extremes_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return {*number, *number};
  Extremes found{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const CurvePoint& point : std::get<Curve>(value)) {
    if (std::isnan(point.y)) return {point.y, point.y};
    found.low = std::min(found.low, point.y);
    found.high = std::max(found.high, point.y);
  }
  return found;
}

// The numbers that are compared with the published ones: of a range the least and the largest of
// all.
std::vector<double> numbers_of(const Claim& claim, const std::vector<Value>& values) {
  std::vector<double> ours;
  for (const Value& value : values) {
    const auto [low, high] = extremes_of(value);
    if (claim.relation != Relation::kRange) {
      ours.push_back(low);
    } else if (ours.empty() || std::isnan(low)) {
      ours = {low, high};
    } else if (!std::isnan(ours[0])) {
      ours = {std::min(ours[0], low), std::max(ours[1], high)};
    }
  }
  return ours;
}

// At how many places an ordering was judged.
std::string places_text(const Ordering& ordering) {
  if (ordering.left_out == 0) {
    return ordering.places == 1 ? " at 1 place" : fmt::format(" at {} places", ordering.places);
  }
  return fmt::format(" at {} of {} places, {} on one curve only", ordering.places,
                     ordering.places + ordering.left_out, ordering.left_out);
}

// `where` it is broken, if it is.
void judge_ordering(const Ordering& ordering, ClaimVerdict& verdict, std::string& where) {
  if (!ordering.known) return;
  const bool holds = ordering.holds;
  verdict.outcome = holds ? Standing::kHolds : Standing::kOff;
  verdict.places = ordering.places;
  verdict.left_out = ordering.left_out;
  verdict.ours_text = (holds ? "holds" : "fails, judged") + places_text(ordering);
  if (!ordering.numbers.empty()) verdict.ours_text += ": " + ordering.numbers;
  where = ordering.where;
}

// Relative distances from what was published.
std::vector<double> distances(const Claim& claim, const std::vector<double>& ours) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < claim.published.size(); ++i) {
    distances.push_back((ours[i] - claim.published[i]) / std::abs(claim.published[i]));
  }
  return distances;
}

// By how much the claim holds; below zero where it does not.
double margin_of(const Claim& claim, const std::vector<double>& ours) {
  if (claim.relation == Relation::kAtLeast) {
    const double larger = std::max(std::abs(ours[0]), std::abs(claim.published[0]));
    return larger == 0 ? 0 : (ours[0] - claim.published[0]) / larger;
  }
  double margin = std::numeric_limits<double>::infinity();
  for (const double off : distances(claim, ours)) {
    if (!std::isfinite(off)) return std::numeric_limits<double>::quiet_NaN();
    margin = std::min(margin, kTolerance - std::abs(off));
  }
  return margin;
}

std::size_t farthest(const std::vector<double>& distances) {
  std::size_t farthest = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (std::abs(distances[i]) >= std::abs(distances[farthest])) farthest = i;
  }
  return farthest;
}

void judge_numbers(const Claim& claim, ClaimVerdict& verdict) {
  const auto unknown = [](double value) { return !std::isfinite(value); };
  if (std::any_of(verdict.ours.begin(), verdict.ours.end(), unknown)) return;
  const std::vector<double> off = distances(claim, verdict.ours);
  verdict.off = off[farthest(off)];
  verdict.outcome = margin_of(claim, verdict.ours) >= 0 ? Standing::kHolds : Standing::kOff;
  verdict.ours_text =
      join_text(verdict.ours, claim.relation == Relation::kRange ? " to " : ", ", claim.unit);
}

std::vector<Value> evaluated(const Claim& claim, const CurveLookup& lookup) {
  std::vector<Value> values;
  values.reserve(claim.values.size());
  for (const std::string& text : claim.values) values.push_back(evaluate(text, lookup));
  return values;
}

// By how much it holds, and then, of numbers, how far each is from what was published.
std::vector<double> statistics_of(const Claim& claim, const CurveLookup& lookup) {
  const std::vector<Value> values = evaluated(claim, lookup);
  if (claim.relation == Relation::kOrdering) {
    const auto& ordering = std::get<Ordering>(values[0]);
    return {ordering.known ? ordering.margin : std::numeric_limits<double>::quiet_NaN()};
  }
  const std::vector<double> ours = numbers_of(claim, values);
  std::vector<double> statistics = distances(claim, ours);
  statistics.insert(statistics.begin(), margin_of(claim, ours));
  return statistics;
}

// Supposes that what has no interval is off by kSupposed, all of it independently.
bool is_doubtful(const Propagated& known) {
  double squares = 0;
  bool unknown = false;
  for (const PointInfluence& influence : known.influences) {
    squares += influence.effect * influence.effect;
    unknown |= !influence.known;
  }
  return unknown && std::sqrt(squares) >= std::abs(known.values[0]);
}

// Takes back what the interval of the first statistic, the margin, does not bear out.
void weigh(Propagated known, const MeasuredFigure& measured, Judged& judgement) {
  judgement.probability = known.positive;
  judgement.doubtful = is_doubtful(known);
  const QuantityInterval& margin = known.intervals[0];
  const bool straddles = judgement.holds() ? margin.low < 0 : margin.high > 0;
  if (straddles) judgement.outcome = Standing::kUndecided;
  judgement.influences = std::move(known.influences);
  for (const PointInfluence& influence : judgement.influences) {
    if (!influence.known) judgement.interval_known = false;
    const auto [series, point] = find_point(*measured.figure, influence.series, influence.at);
    const auto& result = measured.results[series][point];
    if (result && !result->steady) ++judgement.unsteady;
  }
}

std::optional<Interval95> finite_range(const QuantityInterval& interval) {
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high)) return std::nullopt;
  return Interval95{.low = interval.low, .high = interval.high};
}

// Weighs a verdict on the points' values by their intervals.
void weigh_claim(const Claim& claim, const MeasuredFigure& measured, ClaimVerdict& verdict) {
  const auto lookup = [&](const std::string& series, const std::string& quantity) {
    return measured.uncertain_curve(name_as(series, claim.as), quantity);
  };
  Propagated known =
      propagate(lookup, [&](const CurveLookup& curves) { return statistics_of(claim, curves); });
  if (!verdict.ours.empty()) {
    const std::vector<double> off(known.values.begin() + 1, known.values.end());
    verdict.off_interval = finite_range(known.intervals[1 + farthest(off)]);
  }
  for (PointInfluence& influence : known.influences) {
    influence.series = name_as(influence.series, claim.as);
  }
  weigh(std::move(known), measured, verdict);
}

// By how much the mean error is below the limit, and it itself.
std::vector<double> set_statistics(const Figure& figure, double limit, const CurveLookup& lookup) {
  double errors = 0;
  std::size_t points = 0;
  for (const FigureSeries& series : figure.series) {
    const Curve curve = lookup(series.name, "");
    for (std::size_t p = 0; p < curve.size(); ++p) {
      errors += std::abs(curve[p].y / series.points[p].measured.value_or(0) - 1);
      ++points;
    }
  }
  const double mean = errors / static_cast<double>(points);
  return {limit - mean, mean};
}

void weigh_set(const MeasuredFigure& measured, double limit, SetVerdict& verdict) {
  Propagated known = propagate(
      [&](const std::string& series, const std::string& quantity) {
        return measured.uncertain_curve(series, quantity);
      },
      [&](const CurveLookup& curves) { return set_statistics(*measured.figure, limit, curves); });
  verdict.mean_error_interval = finite_range(known.intervals[1]);
  weigh(std::move(known), measured, verdict);
  verdict.verdict = verdict.outcome == Standing::kUndecided ? "undecided"
                    : verdict.holds()                       ? "holds"
                                                            : "missed";
  if (!verdict.interval_known) {
    verdict.verdict += " (interval unknown)";
  } else if (verdict.mean_error_interval) {
    verdict.verdict += fmt::format(" ({:.1f} to {:.1f} %)", 100 * verdict.mean_error_interval->low,
                                   100 * verdict.mean_error_interval->high);
  }
}

// Next to the tolerance a digit more tells on which side of it.
std::string percent_text(double share, double reference) {
  return fmt::format("{:+.{}f}", 100 * share, std::abs(reference) < 0.2 ? 1 : 0);
}

// The remarks in brackets behind it.
std::string remarks_text(const Claim& claim, const ClaimVerdict& verdict) {
  std::vector<std::string> remarks;
  if (!verdict.interval_known) {
    remarks.emplace_back("interval unknown");
  } else if (verdict.off_interval && verdict.off_interval->low < verdict.off_interval->high) {
    remarks.push_back(fmt::format("{} to {} %",
                                  percent_text(verdict.off_interval->low, verdict.off),
                                  percent_text(verdict.off_interval->high, verdict.off)));
  }
  if (claim.relation == Relation::kAtLeast) {
    remarks.emplace_back("none below");
  } else if (claim.relation != Relation::kOrdering) {
    remarks.push_back(fmt::format("{:.0f} % allowed", 100 * kTolerance));
  }
  if (verdict.unsteady > 0) {
    remarks.push_back(
        fmt::format("{} of {} points not at rest", verdict.unsteady, verdict.influences.size()));
  }
  return remarks.empty() ? "" : fmt::format(" ({})", fmt::join(remarks, ", "));
}

std::string number_verdict(const ClaimVerdict& verdict) {
  const char* word = verdict.outcome == Standing::kUndecided ? "undecided:"
                     : verdict.holds()                       ? "holds:"
                                                             : "off by";
  return fmt::format("{} {} %", word, percent_text(verdict.off, verdict.off));
}

// `where` it is broken, if it is.
std::string ordering_verdict(const ClaimVerdict& verdict, const std::string& where) {
  if (verdict.outcome != Standing::kUndecided) return where.empty() ? "holds" : "fails: " + where;
  return fmt::format("undecided: holds with a probability of {:.0f} %{}", 100 * verdict.probability,
                     where.empty() ? "" : "; " + where);
}

}  // namespace

const char* standing_name(Standing outcome) {
  switch (outcome) {
    case Standing::kUnknown:
      return "unknown";
    case Standing::kHolds:
      return "holds";
    case Standing::kOff:
      return "off";
    case Standing::kUndecided:
      return "undecided";
  }
  return "";
}

ClaimVerdict judge(const Claim& claim, const MeasuredFigure& measured) {
  const CurveLookup lookup = [&](const std::string& series, const std::string& quantity) {
    return measured.curve(name_as(series, claim.as), quantity);
  };
  ClaimVerdict verdict;
  verdict.published_text = published_text(claim);
  verdict.ours_text = "-";
  verdict.verdict = "not measured";
  if (claim.left_out) {
    verdict.verdict = "left out by --quick";
    return verdict;
  }
  const std::vector<Value> values = evaluated(claim, lookup);
  std::string where;
  if (claim.relation == Relation::kOrdering) {
    judge_ordering(std::get<Ordering>(values[0]), verdict, where);
  } else {
    verdict.ours = numbers_of(claim, values);
    judge_numbers(claim, verdict);
  }
  if (!verdict.known()) return verdict;
  weigh_claim(claim, measured, verdict);
  verdict.verdict = (claim.relation == Relation::kOrdering ? ordering_verdict(verdict, where)
                                                           : number_verdict(verdict)) +
                    remarks_text(claim, verdict);
  return verdict;
}

SetVerdict judge_set(const MeasuredFigure& measured) {
  SetVerdict verdict;
  const Figure& figure = *measured.figure;
  bool known = true;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const FigureSeries& series = figure.series[s];
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const auto ours = measured.value(s, p);
      const double published = series.points[p].measured.value_or(0);
      if (!ours) {
        known = false;
        continue;
      }
      const double error = *ours / published - 1;
      verdict.mean_error += std::abs(error);
      ++verdict.points;
      if (std::abs(error) < std::abs(verdict.largest_error)) continue;
      verdict.largest_error = error;
      verdict.largest_at =
          fmt::format("{}, {} {}", series.label, figure.x_label, series.points[p].at);
    }
  }
  verdict.verdict = verdict.points == 0 ? "not measured" : "not measured throughout";
  if (verdict.points != 0) verdict.mean_error /= static_cast<double>(verdict.points);
  if (!known || verdict.points == 0) return verdict;
  const double limit = figure.error_limit.value_or(0);
  verdict.outcome = verdict.mean_error <= limit ? Standing::kHolds : Standing::kOff;
  weigh_set(measured, limit, verdict);
  return verdict;
}

void judge_all(MeasuredFigure& measured) {
  measured.verdicts.clear();
  for (const Claim& claim : measured.figure->claims) {
    measured.verdicts.push_back(judge(claim, measured));
  }
  if (measured.figure->error_limit) measured.set_verdict = judge_set(measured);
}

}  // namespace verbena::experiments
