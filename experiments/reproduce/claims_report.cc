// Claims as tables in Markdown, and how many hold.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/report/build_info.h"
#include "experiments/reproduce/figure_report.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

// Names what else than the published settings the figures were measured with.
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
  return fmt::format("{} Conflicts are ignored{} in {}: the results there are not serializable.",
                     text, command.as.empty() ? "" : " with the figures' preset", ignoring);
}

// The head of the table; of figures that were also measured as `as`, what that came to stands
// behind the rest.
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
  const auto index = static_cast<std::size_t>(&claim - figure.claims.data());
  const ClaimVerdict& verdict = measured.verdicts[index];
  std::string row =
      fmt::format("| {} | {} | {} | {} |{}", claim.id, figure.name, markdown_cell(claim.text),
                  markdown_cell(verdict.published_text), found_cells(verdict));
  if (!as.empty()) {
    const auto other = std::ranges::find_if(figure.claims, [&](const Claim& one) {
      return one.as == as && one.id == claim.id && one.text == claim.text;
    });
    row += other == figure.claims.end()
               ? " | |"
               : found_cells(
                     measured.verdicts[static_cast<std::size_t>(other - figure.claims.begin())]);
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
  const SetVerdict& verdict = *measured.set_verdict;
  return fmt::format("| {} | {} | {:.0f} % | {:.1f} % | {:+.1f} % at {} | {} |\n", figure.name,
                     verdict.points, 100 * figure.error_limit.value_or(0), 100 * verdict.mean_error,
                     100 * verdict.largest_error, markdown_cell(verdict.largest_at),
                     verdict.verdict);
}

void count(Standing outcome, Totals& totals) {
  switch (outcome) {
    case Standing::kHolds:
      ++totals.holds;
      break;
    case Standing::kOff:
      ++totals.off;
      break;
    case Standing::kUndecided:
      ++totals.undecided;
      break;
    case Standing::kUnknown:
      ++totals.unknown;
      break;
  }
}

std::size_t count_of(const Totals& totals) {
  return totals.holds + totals.off + totals.undecided + totals.unknown;
}

}  // namespace

std::size_t ignoring_series(const MeasuredFigure& measured) {
  const auto ignoring = std::ranges::count_if(measured.results, [](const auto& results) {
    return std::ranges::any_of(
        results, [](const auto& result) { return result && result->conflicts_ignored; });
  });
  return static_cast<std::size_t>(ignoring);
}

std::string claims_markdown(const ReproduceCommand& command,
                            const std::vector<MeasuredFigure>& measured,
                            const MeasuredPoints& points) {
  std::string claims;
  std::string sets;
  for (const MeasuredFigure& one : measured) {
    const Figure& figure = *one.figure;
    for (const Claim& claim : figure.claims) {
      if (claim.as.empty()) claims += claim_row(claim, one, command.as);
    }
    for (const NotJudged& claim : figure.not_judged) {
      claims += fmt::format("| {} | {} | {} |  |  | not judged: {} |{}\n", claim.id, figure.name,
                            markdown_cell(claim.text), markdown_cell(claim.why),
                            command.as.empty() ? "" : " | |");
    }
    if (figure.comparison) claims += comparison_row(figure, command.as);
    if (figure.error_limit) sets += set_row(one);
  }
  std::string text = run_text(command, measured) + "\n\n";
  if (const std::string shard = points.shard_text(); !shard.empty()) {
    text += fmt::format("Shard {}; claims that need them are not judged.\n\n", shard);
  }
  text += fmt::format("{}: {}.\n\n", counted(count_of(totals_of(measured)), "judgement"),
                      totals_text(totals_of(measured)));
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

Totals totals_of(const std::vector<MeasuredFigure>& measured) {
  Totals totals;
  for (const MeasuredFigure& one : measured) {
    for (const ClaimVerdict& verdict : one.verdicts) count(verdict.outcome, totals);
    if (one.set_verdict) count(one.set_verdict->outcome, totals);
    if (!one.figure->comparison) continue;
    count(differences(*one.figure->comparison).empty() ? Standing::kHolds : Standing::kOff, totals);
  }
  return totals;
}

bool none_is_off(const std::vector<MeasuredFigure>& measured) {
  const auto fails = [](const Judged& judgement) {
    return !judgement.known() || judgement.outcome == Standing::kOff;
  };
  return std::none_of(measured.begin(), measured.end(), [&](const MeasuredFigure& one) {
    for (std::size_t i = 0; i < one.verdicts.size(); ++i) {
      if (!one.figure->claims[i].left_out && fails(one.verdicts[i])) return true;
    }
    if (one.figure->comparison && !differences(*one.figure->comparison).empty()) return true;
    return one.set_verdict && fails(*one.set_verdict);
  });
}

std::string totals_text(const Totals& totals) {
  return fmt::format("{} hold, {} are off, {} are undecided, {} were not judged", totals.holds,
                     totals.off, totals.undecided, totals.unknown);
}

}  // namespace verbena::experiments
