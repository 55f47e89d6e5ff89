// The report of a hunt.
#include "experiments/hunt/hunt_text.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "experiments/hunt/expected_points.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

constexpr const char* kRow = "{:<16}{}\n";

std::string counts_text(const OutcomeCounts& counts) {
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [name, outcomes] : counts) {
    std::uint64_t all = 0;
    for (const auto& [outcome, count] : outcomes) all += count;
    texts.push_back(fmt::format("{} {}", name, all));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string failure_text(const RecordedFailure& failure) {
  std::string text = fmt::format(kRow, outcome_name(failure.outcome),
                                 fmt::format("seed {}: {}", failure.seed, failure.why));
  if (!failure.smallest.empty()) text += fmt::format(kRow, "smallest", failure.smallest);
  return text + fmt::format(kRow, "as drawn", failure.as_drawn);
}

// "5 from 1 on", or which, where there are gaps.
std::string seeds_text(const HuntRecord& record) {
  if (record.seeds.empty()) return "0";
  if (record.seeds.size() == 1) {
    return fmt::format("{} from {} on", record.seeds_tried(), record.seeds.front().first);
  }
  std::vector<std::string> ranges;
  ranges.reserve(record.seeds.size());
  for (const SeedRange& range : record.seeds) {
    ranges.push_back(fmt::format("{} to {}", range.first, range.last));
  }
  return fmt::format("{}, {}", record.seeds_tried(), fmt::join(ranges, ", "));
}

// The number of points reached, and a row for each that no run came to.
std::string points_text(const HuntRecord& record) {
  const std::vector<std::string_view> missed = never_reached(record.reached, record.ground);
  const std::size_t all = expected_points(record.ground).size();
  if (missed.empty()) return fmt::format(kRow, "points", fmt::format("all {} reached", all));
  std::string text =
      fmt::format(kRow, "points", fmt::format("{} of {} reached", all - missed.size(), all));
  for (const std::string_view point : missed) text += fmt::format(kRow, "never reached", point);
  return text;
}

}  // namespace

std::string hunt_text(const HuntRecord& record) {
  std::string text;
  for (const RecordedFailure& failure : record.failures) text += failure_text(failure);
  const auto seeds = static_cast<double>(record.seeds_tried());
  text += fmt::format(
      kRow, "seeds",
      fmt::format("{}, {:.1f} per second; {} run, {} of these twice; {} refused (settings "
                  "contradict each other)",
                  seeds_text(record), record.wall_seconds > 0 ? seeds / record.wall_seconds : 0.0,
                  counted(record.runs, "was", "were"), record.twice, record.refused));
  text += fmt::format(kRow, "systems", counts_text(record.by_system));
  text += fmt::format(kRow, "workloads", counts_text(record.by_workload));
  text += points_text(record);
  if (record.interrupted) {
    text += fmt::format(kRow, "interrupted", "runs that were under way are not reported");
  }
  text += fmt::format(kRow, "failures", record.failures.size());
  return text;
}

}  // namespace verbena::experiments
