// Relations between numbers, and mean errors.
#include "experiments/reproduce/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/config/units.h"
#include "experiments/points/quantity.h"
#include "experiments/reproduce/series_places.h"

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

// The numbers that are compared with the published ones.
std::vector<double> numbers_of(const Claim& claim, const std::vector<Value>& values) {
  std::vector<double> ours;
  for (const Value& value : values) {
    if (const auto* number = std::get_if<double>(&value)) {
      ours.push_back(*number);
      if (claim.relation == Relation::kRange) ours.push_back(*number);
      continue;
    }
    const Curve& curve = std::get<Curve>(value);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const CurvePoint& point : curve) {
      if (std::isnan(point.y)) low = high = point.y;
      if (std::isnan(low)) break;
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
    ours.push_back(low);
    if (claim.relation == Relation::kRange) ours.push_back(high);
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

void judge_ordering(const Ordering& ordering, ClaimVerdict& verdict) {
  verdict.known = ordering.known;
  verdict.holds = ordering.known && ordering.holds;
  if (!verdict.known) return;
  verdict.places = ordering.places;
  verdict.left_out = ordering.left_out;
  verdict.ours_text = (verdict.holds ? "holds" : "fails, judged") + places_text(ordering);
  if (!ordering.numbers.empty()) verdict.ours_text += ": " + ordering.numbers;
  verdict.verdict = verdict.holds ? "holds" : "fails: " + ordering.where;
}

void judge_numbers(const Claim& claim, ClaimVerdict& verdict) {
  const auto unknown = [](double value) { return !std::isfinite(value); };
  verdict.known = std::none_of(verdict.ours.begin(), verdict.ours.end(), unknown);
  if (!verdict.known) return;
  for (std::size_t i = 0; i < claim.published.size(); ++i) {
    const double published = claim.published[i];
    const double off = (verdict.ours[i] - published) / std::abs(published);
    if (std::abs(off) >= std::abs(verdict.off)) verdict.off = off;
  }
  verdict.holds = claim.relation == Relation::kAtLeast ? verdict.ours[0] >= claim.published[0]
                                                       : std::abs(verdict.off) <= kTolerance;
  verdict.ours_text =
      join_text(verdict.ours, claim.relation == Relation::kRange ? " to " : ", ", claim.unit);
  // Next to the tolerance a digit more tells on which side of it.
  const std::string off =
      fmt::format("{:+.{}f} %", 100 * verdict.off, std::abs(verdict.off) < 0.2 ? 1 : 0);
  verdict.verdict = fmt::format("{} {} ({})", verdict.holds ? "holds:" : "off by", off,
                                claim.relation == Relation::kAtLeast
                                    ? "none below"
                                    : fmt::format("{:.0f} % allowed", 100 * kTolerance));
}

// What a place shows.
const std::string& drawn(const Figure& figure, std::size_t series, std::size_t point) {
  const std::string& own = figure.series[series].points[point].quantity;
  return own.empty() ? figure.quantity : own;
}

std::optional<double> known_quantity(const std::optional<PointResult>& result,
                                     const std::string& quantity) {
  if (!result) return std::nullopt;
  const double value = quantity_of(*result, quantity);
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace

Curve MeasuredFigure::curve(const std::string& series, const std::string& quantity) const {
  Curve curve = series_places(*figure, series);
  for (std::size_t s = 0; s < figure->series.size(); ++s) {
    if (figure->series[s].name != series) continue;
    for (std::size_t p = 0; p < curve.size(); ++p) {
      const std::optional<PointResult>& result = results[s][p];
      curve[p].y = result ? quantity_of(*result, quantity.empty() ? drawn(*figure, s, p) : quantity)
                          : std::numeric_limits<double>::quiet_NaN();
    }
  }
  return curve;
}

std::optional<double> MeasuredFigure::value(std::size_t series, std::size_t point) const {
  return known_quantity(results[series][point], drawn(*figure, series, point));
}

std::optional<double> MeasuredFigure::against(std::size_t series, std::size_t point) const {
  if (!figure->against) return std::nullopt;
  return known_quantity(results[series][point], figure->against->quantity);
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
  std::vector<Value> values;
  values.reserve(claim.values.size());
  for (const std::string& text : claim.values) values.push_back(evaluate(text, lookup));
  if (claim.relation == Relation::kOrdering) {
    judge_ordering(std::get<Ordering>(values[0]), verdict);
    return verdict;
  }
  verdict.ours = numbers_of(claim, values);
  judge_numbers(claim, verdict);
  return verdict;
}

SetVerdict judge_set(const MeasuredFigure& measured) {
  SetVerdict verdict;
  verdict.known = true;
  const Figure& figure = *measured.figure;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const FigureSeries& series = figure.series[s];
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const auto ours = measured.value(s, p);
      const double published = series.points[p].measured.value_or(0);
      if (!ours) {
        verdict.known = false;
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
  if (verdict.points != 0) verdict.mean_error /= static_cast<double>(verdict.points);
  verdict.holds = verdict.known && verdict.mean_error <= figure.error_limit.value_or(0);
  return verdict;
}

}  // namespace verbena::experiments
