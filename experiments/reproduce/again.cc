// Settings over those that the point has.
#include "experiments/reproduce/again.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/config/keys/units.h"

namespace verbena::experiments {
namespace {

/// Apart from one another, since people take neighbours.
constexpr std::uint64_t kSeedStep = 1'000'003;

/// The least that --precision takes, in percent.
constexpr double kFinest = 0.01;

MeasuringCommand with(const FigurePoint& point, const std::vector<Assignment>& settings) {
  CommandLine line = point.line;
  for (const Assignment& setting : settings) {
    std::erase_if(line.sets, [&](const Assignment& set) { return set.key == setting.key; });
    line.sets.push_back(setting);
  }
  return MeasuringCommand(resolve(line));
}

Assignment setting(const char* key, std::string value) {
  return {.key = key, .value = std::move(value), .place = key};
}

}  // namespace

MeasuringCommand prolonged(const FigurePoint& point, std::uint32_t times) {
  const FabricCommand& common = point.command.common();
  if (common.cluster.duration) {
    return with(point, {setting("duration",
                                format_duration(*common.cluster.duration * std::int64_t{times}))});
  }
  const RunCommand& run = *point.command.run();
  const workloads::PrecisionGoal& goal = run.run.goal;
  const double finer = std::max(kFinest, run.precision_percent / std::sqrt(times));
  return with(point, {setting("precision", fmt::format("{:.4g}", finer)),
                      setting("max-duration", format_duration(goal.longest * std::int64_t{times})),
                      setting("max-commits", std::to_string(goal.most_commits * times))});
}

MeasuringCommand repeated(const FigurePoint& point, std::uint32_t repeat) {
  const std::uint64_t seed = point.command.common().cluster.seed;
  return with(point, {setting("seed", std::to_string(seed + repeat * kSeedStep))});
}

}  // namespace verbena::experiments
