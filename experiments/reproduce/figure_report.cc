// The tables and the CSV of figures.
#include "experiments/reproduce/figure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "experiments/report/text/text_table.h"
#include "experiments/reproduce/judge/points_precision.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

using Row = std::vector<std::string>;

std::string value_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:#.4g}", *value) : "-";
}

// The places of all series, in the order of the axis.
Curve all_places(const Figure& figure) {
  Curve places;
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      const bool known = std::any_of(places.begin(), places.end(),
                                     [&](const CurvePoint& p) { return p.at == point.at; });
      if (!known) places.push_back({point.at, point.x, 0});
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
  return places;
}

using Cells = std::function<std::string(std::size_t series, std::size_t point)>;

// A value, half of its interval, and a star where the run had not come to rest.
std::string measured_cell(const MeasuredFigure& measured, std::size_t s, std::size_t p) {
  const std::optional<double> value = measured.value(s, p);
  std::string cell = value_cell(value);
  if (!value) return cell;
  const auto interval = measured.interval(s, p);
  if (interval && *value != 0) {
    const double percent = 100 * (interval->high - interval->low) / 2 / std::abs(*value);
    cell +=
        percent < 10 ? fmt::format(" +-{:.2g} %", percent) : fmt::format(" +-{:.0f} %", percent);
  }
  return measured.results[s][p]->steady ? cell : cell + " *";
}

// A line per place, a column per series and one for what was published of it.
std::string series_table(const Figure& figure, const std::string& title, const Cells& cells,
                         bool with_published) {
  std::vector<Row> rows{{with_unit(figure.x_label, figure.x_unit)}};
  for (const FigureSeries& series : figure.series) {
    rows[0].push_back(series.label);
    if (with_published && !series.published.empty()) rows[0].push_back("published");
  }
  for (const CurvePoint& place : all_places(figure)) {
    Row row{place.at};
    for (std::size_t s = 0; s < figure.series.size(); ++s) {
      const FigureSeries& series = figure.series[s];
      const auto found = std::find_if(series.points.begin(), series.points.end(),
                                      [&](const FigurePoint& p) { return p.at == place.at; });
      const auto index = static_cast<std::size_t>(found - series.points.begin());
      row.push_back(found == series.points.end() ? "" : cells(s, index));
      if (!with_published || series.published.empty()) continue;
      const auto there =
          std::find_if(series.published.begin(), series.published.end(),
                       [&](const auto& published) { return published.first == place.x; });
      row.push_back(there == series.published.end() ? "" : value_cell(there->second));
    }
    rows.push_back(std::move(row));
  }
  return fmt::format("{}\n{}", title, aligned(rows, 1));
}

std::string series_tables(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  std::string text = series_table(
      figure, with_unit(figure.y_label, figure.y_unit),
      [&](std::size_t s, std::size_t p) { return measured_cell(measured, s, p); }, true);
  if (!figure.against) return text;
  return text +
         series_table(
             figure, with_unit(figure.against->label, figure.against->unit),
             [&](std::size_t s, std::size_t p) { return value_cell(measured.against(s, p)); },
             false);
}

std::string claims_table(const MeasuredFigure& measured) {
  std::vector<Row> rows{{"claim", "published", "ours", "verdict", ""}};
  for (std::size_t i = 0; i < measured.verdicts.size(); ++i) {
    const Claim& claim = measured.figure->claims[i];
    const ClaimVerdict& verdict = measured.verdicts[i];
    rows.push_back(
        {claim.name(), verdict.published_text, verdict.ours_text, verdict.verdict, claim.text});
  }
  for (const NotJudged& claim : measured.figure->not_judged) {
    rows.push_back({claim.id, "", "", "not judged", claim.text + ": " + claim.why});
  }
  return rows.size() == 1 ? "" : "\n" + aligned(rows, 5);
}

std::string error_cell(const std::optional<double>& ours, double published) {
  return ours ? fmt::format("{:+.1f} %", 100 * (*ours / published - 1)) : "-";
}

std::string set_verdict_text(const Figure& figure, const SetVerdict& verdict) {
  if (verdict.points == 0) return "not measured";
  const double limit = 100 * figure.error_limit.value_or(0);
  return fmt::format(
      "mean absolute relative error {:.1f} % over {}, limit {:.0f} %: {}\n"
      "largest single error {:+.1f} % at {}",
      100 * verdict.mean_error, counted(verdict.points, "point"), limit, verdict.verdict,
      100 * verdict.largest_error, verdict.largest_at);
}

std::string set_table(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  std::vector<Row> rows{{"series", with_unit(figure.x_label, figure.x_unit),
                         with_unit("measured", figure.y_unit), with_unit("ours", figure.y_unit),
                         "error"}};
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const FigureSeries& series = figure.series[s];
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const double published = series.points[p].measured.value_or(0);
      const auto ours = measured.value(s, p);
      rows.push_back({series.label, series.points[p].at, value_cell(published), value_cell(ours),
                      error_cell(ours, published)});
    }
  }
  return fmt::format("{}\n{}\n{}\n", figure.y_label, aligned(rows, 1),
                     set_verdict_text(figure, *measured.set_verdict));
}

// A line per row; what was published otherwise stands behind it.
std::string comparison_table(const Comparison& comparison) {
  std::vector<Row> rows{{""}};
  rows[0].insert(rows[0].end(), comparison.columns.begin(), comparison.columns.end());
  for (const ComparedRow& compared : comparison.rows) {
    Row row{compared.name};
    row.insert(row.end(), compared.ours.begin(), compared.ours.end());
    rows.push_back(std::move(row));
  }
  const auto found = differences(comparison);
  return aligned(rows, rows[0].size()) +
         (found.empty() ? "as published: holds\n"
                        : fmt::format("differs: {}\n", fmt::join(found, "; ")));
}

std::string comparison_csv(const Figure& figure) {
  std::string text;
  for (const ComparedRow& row : figure.comparison->rows) {
    for (std::size_t i = 0; i < row.ours.size(); ++i) {
      text += fmt::format("{},{},{},,{},,{},,,,,\n", figure.name, row.name,
                          figure.comparison->columns[i], row.ours[i],
                          row.published.empty() ? "" : row.published[i]);
    }
  }
  return text;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "";
}

// The columns low_95, high_95, at_rest, ended_by and command.
std::string knowledge_cells(const MeasuredFigure& measured, std::size_t s, std::size_t p,
                            const std::string& quantity) {
  const auto& result = measured.results[s][p];
  const auto interval = measured.interval_of_point(s, p, quantity);
  const auto end = [&](double QuantityInterval::*member) {
    return number_cell(interval ? std::optional((*interval).*member) : std::nullopt);
  };
  const std::string at_rest = !result ? "" : result->steady ? "yes" : "no";
  return fmt::format("{},{},{},{},{}", end(&QuantityInterval::low), end(&QuantityInterval::high),
                     at_rest, result ? result->ended_by : "",
                     csv_cell(measured.command_line(s, p)));
}

std::string isolation_line(const MeasuredFigure& measured) {
  const std::size_t ignoring = ignoring_series(measured);
  if (ignoring == 0) return "";
  if (ignoring == measured.results.size()) {
    return "conflicts are ignored: results are not serializable\n";
  }
  return fmt::format(
      "conflicts are ignored in {} of {} series: their results are not serializable\n", ignoring,
      measured.results.size());
}

}  // namespace

std::string figure_table(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  const std::string head = fmt::format("{}  {} ({}){}\n", figure.name, figure.title, figure.source,
                                       figure.quick ? "  QUICK: fewer points" : "");
  if (figure.comparison) return head + comparison_table(*figure.comparison);
  if (figure.error_limit) return head + set_table(measured) + claims_table(measured);
  const std::string precision = points_precision_text(measured);
  return head + series_tables(measured) + (precision.empty() ? "" : precision + "\n") +
         rest_text(measured) + isolation_line(measured) + claims_table(measured);
}

std::string figure_csv(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  std::string text =
      "figure,series,x,quantity,value,unit,published,low_95,high_95,at_rest,ended_by,command\n";
  if (figure.comparison) text += comparison_csv(figure);
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const FigureSeries& series = figure.series[s];
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const FigurePoint& point = series.points[p];
      const auto add = [&](const std::string& quantity, const std::string& unit,
                           const std::optional<double>& ours,
                           const std::optional<double>& published) {
        text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_cell(figure.name), series.name,
                            csv_cell(point.at), quantity, number_cell(ours), unit,
                            number_cell(published), knowledge_cells(measured, s, p, quantity));
      };
      add(point.quantity.empty() ? figure.quantity : point.quantity, figure.y_unit,
          measured.value(s, p), point.measured);
      if (!figure.against) continue;
      add(figure.against->quantity, figure.against->unit, measured.against(s, p), std::nullopt);
    }
  }
  return text;
}

}  // namespace verbena::experiments
