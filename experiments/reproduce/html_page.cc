// The page's text.
#include "experiments/reproduce/html_page.h"

#include <fmt/format.h>

#include "experiments/plot/html.h"
#include "experiments/report/build_info.h"
#include "experiments/reproduce/figure_report.h"

namespace verbena::experiments {
namespace {

std::string row(Standing outcome, const std::vector<std::string>& cells) {
  const char* kind = outcome == Standing::kHolds ? "holds"
                     : outcome == Standing::kOff ? "fails"
                                                 : "unknown";
  std::string text = fmt::format("<tr class=\"{}\">", kind);
  for (const std::string& cell : cells) text += fmt::format("<td>{}</td>", escaped(cell));
  return text + "</tr>\n";
}

// Claims about a figure, a row each.
std::string claim_rows(const MeasuredFigure& measured) {
  const Figure& figure = *measured.figure;
  const std::string link = fmt::format("{}", figure.name);
  std::string rows;
  for (std::size_t i = 0; i < measured.verdicts.size(); ++i) {
    const Claim& claim = figure.claims[i];
    const ClaimVerdict& verdict = measured.verdicts[i];
    rows += row(verdict.outcome, {claim.name(), link, claim.text, verdict.published_text,
                                  verdict.ours_text, verdict.verdict});
  }
  for (const NotJudged& claim : figure.not_judged) {
    rows +=
        row(Standing::kUnknown, {claim.id, link, claim.text, "", "", "not judged: " + claim.why});
  }
  if (figure.comparison) {
    const auto found = differences(*figure.comparison);
    rows += row(found.empty() ? Standing::kHolds : Standing::kOff,
                {"table", link, figure.title, "as printed",
                 found.empty() ? "the same" : fmt::format("{}", fmt::join(found, "; ")),
                 found.empty() ? "holds" : "differs"});
  }
  if (measured.set_verdict) {
    const SetVerdict& verdict = *measured.set_verdict;
    rows +=
        row(verdict.outcome, {"set", link, fmt::format("{} measured points", verdict.points),
                              fmt::format("mean error up to {:.0f} %", 100 * *figure.error_limit),
                              fmt::format("{:.1f} %", 100 * verdict.mean_error), verdict.verdict});
  }
  return rows;
}

std::string claim_table(const std::string& rows) {
  if (rows.empty()) return "";
  return "<table>\n<tr><th>claim</th><th>figure</th><th>what</th><th>published</th><th>ours</th>"
         "<th>verdict</th></tr>\n" +
         rows + "</table>\n";
}

std::string command_of(const ReproduceCommand& command) {
  std::string line = command.record.command_line();
  for (const std::string& figure : command.names) line += " " + figure;
  for (const Assignment& set : command.sets) line += " --set " + set.text();
  return line;
}

std::string figure_section(const MeasuredFigure& measured, const std::string* plot) {
  const Figure& figure = *measured.figure;
  std::string text = fmt::format(
      "<h2 id=\"{0}\">{0}: {1}{2}</h2>\n<p>{3}</p>\n", escaped(figure.name), escaped(figure.title),
      figure.quick ? " (quick: fewer points)" : "", escaped(figure.source));
  if (plot != nullptr) {
    text += image(*plot, "plot of " + figure.name);
  }
  text += claim_table(claim_rows(measured));
  text += fmt::format("<details{}><summary>numbers</summary>\n<pre>{}</pre></details>\n",
                      plot == nullptr ? " open" : "", escaped(figure_table(measured)));
  return text;
}

}  // namespace

std::string figures_page(const ReproduceCommand& command,
                         const std::vector<MeasuredFigure>& measured,
                         const std::map<std::string, std::string>& plots, const PageFacts& facts) {
  std::string rows;
  double measuring_seconds = 0;
  std::map<std::string, double> seconds;  // by command line, so that shared points count once
  for (const MeasuredFigure& one : measured) {
    rows += claim_rows(one);
    for (std::size_t s = 0; s < one.results.size(); ++s) {
      for (std::size_t p = 0; p < one.results[s].size(); ++p) {
        if (!one.results[s][p]) continue;
        seconds[one.figure->series[s].points[p].command.record().command_line()] =
            one.results[s][p]->wall_seconds;
      }
    }
  }
  for (const auto& entry : seconds) measuring_seconds += entry.second;
  std::string text = page_head("verbena: reproduced figures");
  text += fmt::format(
      "<h1>Reproduced figures</h1>\n<p>Claims, tables and measured sets: {}.</p>\n"
      "{}<table>\n<tr><th>commit</th><td>{}</td></tr>\n<tr><th>command</th><td><code>{}</code></"
      "td></"
      "tr>\n"
      "<tr><th>points</th><td>{}: {} measured before, {} failed; together {:.0f} s "
      "of one core</td></tr>\n<tr><th>this command took</th><td>{:.0f} "
      "s</td></tr>\n"
      "</table>\n",
      totals_text(totals_of(measured)),
      facts.shard.empty() ? "" : "<p class=\"unknown\">shard " + escaped(facts.shard) + "</p>\n",
      escaped(build_commit()), escaped(command_of(command)), facts.points, facts.reused,
      facts.failures, measuring_seconds, facts.wall_seconds);
  text += "<h2>All claims</h2>\n" + claim_table(rows);
  for (const MeasuredFigure& one : measured) {
    const auto plot = plots.find(one.figure->name);
    text += figure_section(one, plot == plots.end() ? nullptr : &plot->second);
  }
  return text + page_end();
}

}  // namespace verbena::experiments
