// Factors that are learned, and slots that become free.
#include "experiments/points/time_left.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace verbena::experiments {
namespace {

using workloads::RunPosition;
using workloads::RunStage;

/// Share of its way, or seconds of it, before a point's own pace says how long the whole will take.
constexpr double kToldByShare = 0.02;
constexpr double kToldBySeconds = 0.5;

/// Least share of what was expected: there is always something left of a stage that is not over.
constexpr double kLeast = 0.1;

/// Wall time of the check after a run, of that of its work: rarely more.
constexpr double kCheck = 0.02;

bool is_over(const RunPosition& position) { return position.stage >= RunStage::kEnded; }
bool is_setting_up(const RunPosition& position) { return position.stage < RunStage::kWarmUp; }
bool is_working(const RunPosition& position) {
  return position.stage == RunStage::kWarmUp || position.stage == RunStage::kMeasuring;
}

// Seconds of work of the whole point, by its own pace.
std::optional<double> projected_work(const PointCourse& point) {
  const RunPosition& at = point.position;
  if (at.stage == RunStage::kFailed || is_setting_up(at)) return std::nullopt;
  if (!is_working(at)) return at.work_wall_seconds;
  const auto end = static_cast<double>(at.expected.count());
  if (end <= 0 || at.passed <= 0_ns) return std::nullopt;
  const double share = static_cast<double>(at.passed.count()) / end;
  if (share < kToldByShare && at.work_wall_seconds < kToldBySeconds) return std::nullopt;
  return at.work_wall_seconds / std::min(1.0, share);
}

std::optional<double> known_set_up(const PointCourse& point) {
  const RunPosition& at = point.position;
  if (at.stage == RunStage::kFailed || is_setting_up(at)) return std::nullopt;
  return at.set_up_wall_seconds;
}

/// By how much points differ from what was expected: the geometric mean.
class Factors {
 public:
  void learn(const std::string& kind, double expected, std::optional<double> found) {
    if (!found || *found <= 0 || expected <= 0) return;
    by_kind_[kind].add(std::log(*found / expected));
    all_.add(std::log(*found / expected));
  }
  double of(const std::string& kind) const {
    const auto found = by_kind_.find(kind);
    return found == by_kind_.end() ? all_.factor() : found->second.factor();
  }

 private:
  struct Mean {
    double sum = 0;
    double count = 0;
    void add(double logarithm) {
      sum += logarithm;
      ++count;
    }
    double factor() const { return count == 0 ? 1 : std::exp(sum / count); }
  };
  std::map<std::string, Mean> by_kind_;
  Mean all_;
};

// The rest of a stage of which so much was expected.
double rest(double expected, double passed) {
  return std::max(expected - passed, kLeast * expected);
}

class Outlook {
 public:
  explicit Outlook(const std::vector<PointCourse>& points) {
    for (const PointCourse& point : points) {
      set_up_.learn(point.cost.kind, point.cost.set_up_seconds, known_set_up(point));
      work_.learn(point.cost.kind, point.cost.work_seconds, projected_work(point));
    }
  }

  double left(const PointCourse& point) const {
    const RunPosition& at = point.position;
    if (is_over(at)) return 0;
    const double work = projected_work(point).value_or(expected_work(point));
    const double check = kCheck * work;
    if (at.stage == RunStage::kChecking) {
      return rest(check, at.wall_seconds - at.set_up_wall_seconds - at.work_wall_seconds);
    }
    if (is_working(at)) return rest(work, at.work_wall_seconds) + check;
    const double set_up = point.cost.set_up_seconds * set_up_.of(point.cost.kind);
    return rest(set_up, at.wall_seconds) + work + check;
  }

 private:
  double expected_work(const PointCourse& point) const {
    return point.cost.work_seconds * work_.of(point.cost.kind);
  }

  Factors set_up_;
  Factors work_;
};

bool waits(const PointCourse& point) { return point.position.stage == RunStage::kWaiting; }

}  // namespace

double seconds_left(const std::vector<PointCourse>& points, std::size_t at_once) {
  const Outlook outlook(points);
  std::vector<double> free_at;  // of those that may run at once
  for (const PointCourse& point : points) {
    if (!waits(point) && !is_over(point.position)) free_at.push_back(outlook.left(point));
  }
  free_at.resize(std::max({free_at.size(), at_once, std::size_t{1}}));
  for (const PointCourse& point : points) {
    if (waits(point)) *std::ranges::min_element(free_at) += outlook.left(point);
  }
  return std::ranges::max(free_at);
}

double most_seconds_left(const PointCourse& point) {
  const RunPosition& at = point.position;
  if (!is_working(at) || at.latest <= 0_ns || at.passed <= 0_ns) return -1;
  const auto simulated = static_cast<double>(at.passed.count());
  const double rest = std::max(0.0, static_cast<double>(at.latest.count()) - simulated);
  return (1 + kCheck) * at.work_wall_seconds * rest / simulated;
}

}  // namespace verbena::experiments
