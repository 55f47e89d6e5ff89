// The JSON document of reproduced figures.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/report/build_info.h"
#include "experiments/reproduce/figure_report.h"
#include "experiments/reproduce/judge/points_precision.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

constexpr int kSchemaVersion = 2;

json number_or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json interval_or_null(const std::optional<QuantityInterval>& interval) {
  return interval ? json{interval->low, interval->high} : json(nullptr);
}

json range_or_null(const std::optional<Interval95>& range) {
  return range ? json{range->low, range->high} : json(nullptr);
}

// Adds the members that are common to verdicts.
void add_judgement(json& document, const Judged& judgement) {
  document["verdict"] = standing_name(judgement.outcome);
  document["known"] = judgement.known();
  document["holds"] = judgement.holds();
  document["probability"] = judgement.known() ? json(judgement.probability) : json(nullptr);
  document["interval_known"] = judgement.known() && judgement.interval_known;
  document["not_at_rest"] = judgement.unsteady;
}

json point_document(const MeasuredFigure& measured, std::size_t s, std::size_t p) {
  const FigurePoint& point = measured.figure->series[s].points[p];
  const std::optional<PointResult>& result = measured.results[s][p];
  json document = {{"at", point.at},
                   {"x", point.x},
                   {"value", number_or_null(measured.value(s, p))},
                   {"published", number_or_null(point.measured)},
                   {"interval_95", interval_or_null(measured.interval(s, p))},
                   {"at_rest", nullptr},
                   {"ended_by", nullptr},
                   {"seconds", nullptr},
                   {"runs", 0},
                   {"command_line", measured.command_line(s, p)},
                   {"trace_digest", nullptr}};
  if (!point.quantity.empty()) document["quantity"] = point.quantity;
  if (measured.figure->against) document["against"] = number_or_null(measured.against(s, p));
  if (!result) return document;
  document["trace_digest"] = result->trace_digest;
  document["at_rest"] = result->steady;
  if (!result->ended_by.empty()) document["ended_by"] = result->ended_by;
  document["seconds"] = result->measured_seconds;
  document["runs"] = 1 + (measured.repeats.empty() ? 0 : measured.repeats[s][p].size());
  return document;
}

json series_document(const MeasuredFigure& measured, std::size_t s) {
  const FigureSeries& series = measured.figure->series[s];
  json points = json::array();
  for (std::size_t p = 0; p < series.points.size(); ++p) {
    points.push_back(point_document(measured, s, p));
  }
  json published = json::array();
  for (const auto& [x, y] : series.published) published.push_back({x, y});
  return {
      {"name", series.name}, {"label", series.label}, {"points", points}, {"published", published}};
}

json claim_document(const Claim& claim, const ClaimVerdict& verdict) {
  json document = {{"id", claim.id},
                   {"text", claim.text},
                   {"as", claim.as},
                   {"relation", relation_name(claim.relation)},
                   {"value", claim.values},
                   {"unit", claim.unit},
                   {"published", claim.published},
                   {"ours", nullptr},
                   {"off", nullptr},
                   {"off_interval_95", nullptr},
                   {"places", nullptr},
                   {"places_left_out", nullptr},
                   {"verdict_text", verdict.verdict}};
  add_judgement(document, verdict);
  if (verdict.known() && claim.relation != Relation::kOrdering) {
    document["ours"] = verdict.ours;
    document["off"] = verdict.off;
    document["off_interval_95"] = range_or_null(verdict.off_interval);
  } else if (verdict.known()) {
    document["places"] = verdict.places;
    document["places_left_out"] = verdict.left_out;
  }
  return document;
}

json set_document(const MeasuredFigure& measured) {
  const SetVerdict& verdict = *measured.set_verdict;
  json document = {{"limit", *measured.figure->error_limit},
                   {"points", verdict.points},
                   {"mean_error", verdict.mean_error},
                   {"mean_error_interval_95", range_or_null(verdict.mean_error_interval)},
                   {"largest_error", verdict.largest_error},
                   {"largest_at", verdict.largest_at}};
  add_judgement(document, verdict);
  return document;
}

json comparison_document(const Comparison& comparison) {
  json rows = json::array();
  for (const ComparedRow& row : comparison.rows) {
    rows.push_back({{"name", row.name}, {"ours", row.ours}, {"published", row.published}});
  }
  return {{"columns", comparison.columns},
          {"rows", rows},
          {"differences", differences(comparison)},
          {"holds", differences(comparison).empty()}};
}

json figure_document(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  json document = {
      {"name", figure.name},
      {"title", figure.title},
      {"source", figure.source},
      {"x", {{"label", figure.x_label}, {"unit", figure.x_unit}}},
      {"y", {{"label", figure.y_label}, {"unit", figure.y_unit}, {"quantity", figure.quantity}}},
      {"against", nullptr},
      {"quick", figure.quick},
      {"steady", figure.steady},
      {"series", json::array()},
      {"claims", json::array()},
      {"not_judged", json::array()},
      {"errors", nullptr}};
  if (figure.against) {
    document["against"] = {{"label", figure.against->label},
                           {"unit", figure.against->unit},
                           {"quantity", figure.against->quantity}};
  }
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    document["series"].push_back(series_document(measured, s));
  }
  for (std::size_t i = 0; i < measured.verdicts.size(); ++i) {
    document["claims"].push_back(claim_document(figure.claims[i], measured.verdicts[i]));
  }
  for (const NotJudged& claim : figure.not_judged) {
    document["not_judged"].push_back({{"id", claim.id}, {"text", claim.text}, {"why", claim.why}});
  }
  if (const PointsPrecision precision = points_precision(measured); precision.points > 0) {
    document["precision"] = {{"points", precision.points},
                             {"widest", precision.widest},
                             {"widest_at", precision.widest_at},
                             {"unsteady", precision.unsteady}};
  }
  if (figure.comparison) document["comparison"] = comparison_document(*figure.comparison);
  if (measured.set_verdict) document["errors"] = set_document(measured);
  return document;
}

}  // namespace

std::string figures_document(const ReproduceCommand& command,
                             const std::vector<MeasuredFigure>& measured,
                             const MeasuredPoints& points) {
  const Totals totals = totals_of(measured);
  json document = {{"schema", {{"name", "verbena.figures"}, {"version", kSchemaVersion}}},
                   {"commit", build_commit()},
                   {"overrides", json::array()},
                   {"quick", command.quick},
                   {"totals",
                    {{"holds", totals.holds},
                     {"off", totals.off},
                     {"undecided", totals.undecided},
                     {"not_judged", totals.unknown}}},
                   {"figures", json::array()}};
  if (!points.shard.is_whole()) {
    document["shard"] = points.shard.text();
    document["missing"] = points.missing;
  }
  for (const Assignment& set : command.sets) document["overrides"].push_back(set.text());
  for (const MeasuredFigure& one : measured) document["figures"].push_back(figure_document(one));
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace verbena::experiments
