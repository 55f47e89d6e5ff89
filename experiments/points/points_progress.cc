// Costs by size, and lines for people.
#include "experiments/points/points_progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "experiments/config/keys/units.h"

namespace verbena::experiments {
namespace {

using workloads::RunPosition;
using workloads::RunStage;

/// Time that a point simulates that finds it out itself: SmallBank 2 to 8 ms, TPC-C up to 100.
constexpr Nanoseconds kUsuallyEnough = 8 * kMillisecond;

/// Wall seconds for each second of a simulated core (1 to 15 with all its events), and for the
/// memory and connections of a worker.
constexpr double kPerCoreSecond = 8;
constexpr double kPerWorker = 2e-3;

/// Number of points at work that are told of.
constexpr std::size_t kShown = 3;

Nanoseconds simulated_by(const MeasuringCommand& command) {
  if (command.bench() != nullptr) {
    return command.bench()->bench.warm_up + command.bench()->bench.duration;
  }
  const ClusterOptions& cluster = command.common().cluster;
  const RunCommand* run = command.run();
  Nanoseconds measured = kUsuallyEnough;
  if (run != nullptr && !cluster.duration) {
    // As the square of the width that is asked for, of 1 % that is usual.
    const double finer = 1 / (run->precision_percent * run->precision_percent);
    measured = Nanoseconds(
        static_cast<std::int64_t>(std::min(static_cast<double>(run->run.goal.longest.count()),
                                           finer * static_cast<double>(kUsuallyEnough.count()))));
  }
  return cluster.duration.value_or(measured) +
         cluster.warmup.value_or(std::min(measured, kUsuallyEnough) / 2);
}

std::string kind_of(const MeasuringCommand& command) {
  const RunCommand* run = command.run();
  return run != nullptr ? run->system + "/" + run->workload : command.record().operation;
}

// "95 s", "12 min", "3.5 h".
std::string left_text(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 99.5 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

const char* stage_name(RunStage stage) {
  switch (stage) {
    case RunStage::kWaiting:
      return "starting";
    case RunStage::kLoading:
      return "loading";
    case RunStage::kConnecting:
      return "connecting";
    case RunStage::kFillingCaches:
      return "filling caches";
    case RunStage::kWarmUp:
      return "warming up";
    case RunStage::kMeasuring:
      return "measuring";
    case RunStage::kChecking:
      return "checking what it left";
    case RunStage::kEnded:
      return "done";
    case RunStage::kFailed:
      return "failed";
  }
  return "";
}

// "loading 40 %", "measuring, 1200us simulated"; on hardware "measuring, 1200ms".
std::string stage_text(const PointCourse& point) {
  const RunPosition& at = point.position;
  const std::string name = stage_name(at.stage);
  if (at.stage == RunStage::kWarmUp || at.stage == RunStage::kMeasuring) {
    const Nanoseconds step = point.cost.simulated ? kMicrosecond : kMillisecond;
    return fmt::format("{}, {}{}", name, format_duration((at.passed / step) * step),
                       point.cost.simulated ? " simulated" : "");
  }
  const bool counts = at.stage > RunStage::kWaiting && at.stage < RunStage::kWarmUp;
  return counts && at.share > 0 ? fmt::format("{} {:.0f} %", name, 100 * at.share) : name;
}

bool is_over(const PointCourse& point) { return point.position.stage >= RunStage::kEnded; }
bool is_at_work(const PointCourse& point) {
  return point.position.stage != RunStage::kWaiting && !is_over(point);
}

double fraction_of(double passed, double left) {
  return left <= 0 ? 1 : passed / std::max(1e-9, passed + left);
}

// "; 3 of 8 done; 4: measuring, 1200us simulated; 5: loading", and a word that changes with stages.
ProgressText at_work(const std::vector<PointCourse>& points) {
  std::vector<std::string> told;
  ProgressText text;
  std::size_t more = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_at_work(points[i])) continue;
    if (told.size() == kShown) {
      ++more;
      continue;
    }
    told.push_back(fmt::format("{}: {}", i + 1, stage_text(points[i])));
    text.stage += fmt::format("{}{} ", i, stage_name(points[i].position.stage));
  }
  text.text = fmt::format("{} of {} done", std::ranges::count_if(points, is_over), points.size());
  if (!told.empty()) text.text += fmt::format("; {}", fmt::join(told, "; "));
  if (more > 0) text.text += fmt::format("; {} more at work", more);
  return text;
}

}  // namespace

PointCost cost_of(const MeasuringCommand& command) {
  const ClusterOptions& cluster = command.common().cluster;
  const double workers = static_cast<double>(cluster.nodes) * cluster.endpoint.workers;
  const Nanoseconds simulated = simulated_by(command);
  // Hardware takes the time that it measures.
  const bool is_simulated = command.common().fabric.simulated;
  const double pace = is_simulated ? kPerCoreSecond * workers : 1;
  return {.set_up_seconds = kPerWorker * workers,
          .work_seconds = pace * to_seconds(simulated),
          .kind = kind_of(command),
          .simulated = is_simulated};
}

ProgressText run_progress_text(const PointCourse& point) {
  const RunPosition& at = point.position;
  ProgressText told;
  told.stage = stage_name(at.stage);
  told.text = fmt::format("{} after {:.0f} s", stage_text(point), at.wall_seconds);
  if (is_over(point)) return told;
  const double left = seconds_left({point}, 1);
  told.fraction = fraction_of(at.wall_seconds, left);
  told.text += fmt::format(", about {} left", left_text(left));
  const double most = most_seconds_left(point);
  if (most > 1.5 * left) told.text += fmt::format(", at most {}", left_text(most));
  return told;
}

ProgressText series_progress_text(const std::vector<PointCourse>& points, std::size_t at_once,
                                  double seconds, double told) {
  const double left = seconds_left(points, at_once);
  ProgressText text = at_work(points);
  text.fraction = std::max(told, fraction_of(seconds, left));
  text.text = fmt::format("{:.0f} % after {:.0f} s, about {} left; {}", 100 * text.fraction,
                          seconds, left_text(left), text.text);
  return text;
}

std::vector<PointCourse> courses_of(const std::vector<PointCost>& costs,
                                    const ProgressBoard& board) {
  std::vector<PointCourse> courses;
  courses.reserve(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    courses.push_back({.cost = costs[i], .position = board.of(i).read()});
  }
  return courses;
}

}  // namespace verbena::experiments
