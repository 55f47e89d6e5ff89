// The report of a hunt.
#include "experiments/hunt/hunt_text.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

#include "experiments/hunt/expected_points.h"

namespace verbena::experiments {
namespace {

constexpr const char* kRow = "{:<16}{}\n";

std::string counts_text(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [name, count] : counts) texts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string failure_text(const HuntedFailure& failure) {
  std::string text = fmt::format(kRow, outcome_name(failure.outcome),
                                 fmt::format("seed {}: {}", failure.run.seed, failure.why));
  if (failure.smallest) text += fmt::format(kRow, "smallest", failure.smallest->command_line());
  return text + fmt::format(kRow, "as drawn", failure.run.command_line());
}

// What no run came to, a row each.
std::string points_text(const CampaignResult& result) {
  const std::vector<std::string_view> missed = never_reached(result.reached);
  const std::size_t all = expected_points().size();
  if (missed.empty()) return fmt::format(kRow, "points", fmt::format("all {} reached", all));
  std::string text =
      fmt::format(kRow, "points", fmt::format("{} of {} reached", all - missed.size(), all));
  for (const std::string_view point : missed) text += fmt::format(kRow, "never reached", point);
  return text;
}

}  // namespace

std::string hunt_text(const CampaignOptions& options, const CampaignResult& result,
                      double wall_seconds) {
  std::string text;
  for (const HuntedFailure& failure : result.failures) text += failure_text(failure);
  const std::uint64_t seeds = result.runs + result.refused;
  text += fmt::format(
      kRow, "seeds",
      fmt::format("{} from {} on, {:.1f} a second; {} were run, {} of these twice; {} do not go "
                  "together",
                  seeds, options.first_seed,
                  wall_seconds > 0 ? static_cast<double>(seeds) / wall_seconds : 0.0, result.runs,
                  result.twice, result.refused));
  text += fmt::format(kRow, "systems", counts_text(result.by_system));
  text += fmt::format(kRow, "workloads", counts_text(result.by_workload));
  text += points_text(result);
  if (result.signal != 0)
    text += fmt::format(kRow, "interrupted", "not all that had begun is told");
  text += fmt::format(kRow, "failures", result.failures.size());
  return text;
}

}  // namespace verbena::experiments
