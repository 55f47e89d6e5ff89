// The tables and the CSV of figures.
#include "experiments/reproduce/figure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "experiments/report/build_info.h"
#include "experiments/report/text_table.h"
#include "experiments/reproduce/points_precision.h"

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

using Values = std::function<std::optional<double>(std::size_t series, std::size_t point)>;

// A line per place, a column per series and one for what was published of it.
std::string series_table(const Figure& figure, const std::string& title, const Values& value,
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
      row.push_back(found == series.points.end() ? "" : value_cell(value(s, index)));
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
      [&](std::size_t s, std::size_t p) { return measured.value(s, p); }, true);
  if (!figure.against) return text;
  return text + series_table(
                    figure, with_unit(figure.against->label, figure.against->unit),
                    [&](std::size_t s, std::size_t p) { return measured.against(s, p); }, false);
}

std::string claims_table(const MeasuredFigure& measured) {
  std::vector<Row> rows{{"claim", "published", "ours", "verdict", ""}};
  for (const Claim& claim : measured.figure->claims) {
    const ClaimVerdict verdict = judge(claim, measured);
    rows.push_back(
        {claim.name(), verdict.published_text, verdict.ours_text, verdict.verdict, claim.text});
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
      "mean absolute relative error {:.1f} % over {} points, limit {:.0f} %: {}\n"
      "largest single error {:+.1f} % at {}",
      100 * verdict.mean_error, verdict.points, limit,
      !verdict.known  ? "not measured throughout"
      : verdict.holds ? "holds"
                      : "missed",
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
                     set_verdict_text(figure, judge_set(measured)));
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
      text +=
          fmt::format("{},{},{},,{},,{},\n", figure.name, row.name, figure.comparison->columns[i],
                      row.ours[i], row.published.empty() ? "" : row.published[i]);
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

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

// How many of its series are not isolated.
std::size_t ignoring_series(const MeasuredFigure& measured) {
  const auto ignoring = std::ranges::count_if(measured.results, [](const auto& results) {
    return std::ranges::any_of(
        results, [](const auto& result) { return result && result->conflicts_ignored; });
  });
  return static_cast<std::size_t>(ignoring);
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

// What else than the published settings the figures were measured with.
std::string run_text(const ReproduceCommand& command, const std::vector<MeasuredFigure>& measured) {
  const bool fewer = std::any_of(measured.begin(), measured.end(),
                                 [](const MeasuredFigure& one) { return one.figure->quick; });
  std::string text = fmt::format("Commit {}", build_commit());
  if (command.quick) text += fmt::format(", --quick{}", fewer ? ": fewer points" : "");
  for (const Assignment& set : command.sets) text += ", --set " + markdown_cell(set.text());
  text += ".";
  std::string ignoring;
  for (const MeasuredFigure& one : measured) {
    if (ignoring_series(one) == 0) continue;
    ignoring += (ignoring.empty() ? "" : ", ") + one.figure->name;
  }
  if (ignoring.empty()) return text;
  return fmt::format("{} Conflicts are ignored{}, so that results are not serializable, in {}.",
                     text, command.as.empty() ? "" : " with the figures' preset", ignoring);
}

// Of figures that were also measured as `as`, what that came to stands behind the rest.
std::string claims_head(const std::string& as) {
  return as.empty() ? "| claim | figure | what | published | ours | verdict |\n"
                      "| --- | --- | --- | --- | --- | --- |\n"
                    : fmt::format(
                          "| claim | figure | what | published | with the figure's preset "
                          "| verdict | {} | verdict |\n"
                          "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
                          as);
}

std::string claim_row(const Claim& claim, const MeasuredFigure& measured, const std::string& as) {
  const Figure& figure = *measured.figure;
  const auto found_cells = [](const ClaimVerdict& verdict) {
    return fmt::format(" {} | {} |", markdown_cell(verdict.ours_text),
                       markdown_cell(verdict.verdict));
  };
  const ClaimVerdict verdict = judge(claim, measured);
  std::string row =
      fmt::format("| {} | {} | {} | {} |{}", claim.id, figure.name, markdown_cell(claim.text),
                  markdown_cell(verdict.published_text), found_cells(verdict));
  if (!as.empty()) {
    const auto other = std::ranges::find_if(figure.claims, [&](const Claim& one) {
      return one.as == as && one.id == claim.id && one.text == claim.text;
    });
    row += other == figure.claims.end() ? " | |" : found_cells(judge(*other, measured));
  }
  return row + "\n";
}

std::string comparison_row(const Figure& figure, const std::string& as) {
  const auto found = differences(*figure.comparison);
  return fmt::format("| table | {} | {} | as printed | {} | {} |{}\n", figure.name,
                     markdown_cell(figure.title),
                     found.empty() ? "the same" : fmt::format("{}", fmt::join(found, "; ")),
                     found.empty() ? "holds" : "differs", as.empty() ? "" : " | |");
}

std::string set_row(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  const SetVerdict verdict = judge_set(measured);
  return fmt::format("| {} | {} | {:.0f} % | {:.1f} % | {:+.1f} % at {} | {} |\n", figure.name,
                     verdict.points, 100 * figure.error_limit.value_or(0), 100 * verdict.mean_error,
                     100 * verdict.largest_error, markdown_cell(verdict.largest_at),
                     !verdict.known  ? "not measured"
                     : verdict.holds ? "holds"
                                     : "missed");
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
         isolation_line(measured) + claims_table(measured);
}

std::string figure_csv(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  std::string text = "figure,series,x,quantity,value,unit,published,command\n";
  if (figure.comparison) text += comparison_csv(figure);
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const FigureSeries& series = figure.series[s];
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const FigurePoint& point = series.points[p];
      const auto add = [&](const std::string& quantity, const std::string& unit,
                           const std::optional<double>& ours,
                           const std::optional<double>& published) {
        text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_cell(figure.name), series.name,
                            csv_cell(point.at), quantity, ours ? fmt::format("{:.6g}", *ours) : "",
                            unit, published ? fmt::format("{:.6g}", *published) : "",
                            csv_cell(point.command.record().command_line()));
      };
      add(point.quantity.empty() ? figure.quantity : point.quantity, figure.y_unit,
          measured.value(s, p), point.measured);
      if (!figure.against) continue;
      add(figure.against->quantity, figure.against->unit, measured.against(s, p), std::nullopt);
    }
  }
  return text;
}

std::string claims_markdown(const ReproduceCommand& command,
                            const std::vector<MeasuredFigure>& measured) {
  std::string claims;
  std::string sets;
  for (const MeasuredFigure& one : measured) {
    const Figure& figure = *one.figure;
    for (const Claim& claim : figure.claims) {
      if (claim.as.empty()) claims += claim_row(claim, one, command.as);
    }
    if (figure.comparison) claims += comparison_row(figure, command.as);
    if (figure.error_limit) sets += set_row(one);
  }
  std::string text = run_text(command, measured) + "\n\n";
  if (!claims.empty()) text += claims_head(command.as) + claims;
  if (!claims.empty() && !sets.empty()) text += "\n";
  if (!sets.empty()) {
    text +=
        "| measured set | points | limit | mean error | largest error | verdict |\n"
        "| --- | --- | --- | --- | --- | --- |\n" +
        sets;
  }
  return text;
}

bool all_hold(const std::vector<MeasuredFigure>& measured) {
  return std::all_of(measured.begin(), measured.end(), [](const MeasuredFigure& one) {
    const auto& claims = one.figure->claims;
    const bool claimed = std::all_of(claims.begin(), claims.end(), [&](const Claim& claim) {
      return claim.left_out || judge(claim, one).holds;
    });
    if (one.figure->comparison && !differences(*one.figure->comparison).empty()) return false;
    return claimed && (!one.figure->error_limit || judge_set(one).holds);
  });
}

}  // namespace verbena::experiments
