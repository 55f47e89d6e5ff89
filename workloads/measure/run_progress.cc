// Times are noted as stages are entered.
#include "workloads/measure/run_progress.h"

namespace verbena::workloads {
namespace {

// Only the first that comes is noted.
void note(std::atomic<std::int64_t>& time, std::int64_t now) {
  if (time.load(std::memory_order_relaxed) == 0) time.store(now, std::memory_order_relaxed);
}

double seconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
  return begin_ns == 0 || end_ns < begin_ns ? 0 : static_cast<double>(end_ns - begin_ns) / 1e9;
}

}  // namespace

void RunProgress::enter(RunStage stage) {
  const std::int64_t now = wall_ns();
  note(began_ns_, now);
  if (stage >= RunStage::kWarmUp) note(started_ns_, now);
  if (stage >= RunStage::kChecking) note(finished_ns_, now);
  if (stage >= RunStage::kEnded) note(ended_ns_, now);
  share_.store(0, std::memory_order_relaxed);
  stage_.store(stage, std::memory_order_release);
}

void RunProgress::foresee(Nanoseconds measures_from, Nanoseconds expected, Nanoseconds latest) {
  measures_from_ns_.store(measures_from.count(), std::memory_order_relaxed);
  expected_ns_.store(expected.count(), std::memory_order_relaxed);
  latest_ns_.store(latest.count(), std::memory_order_relaxed);
}

RunPosition RunProgress::read() const {
  const auto time = [](const std::atomic<std::int64_t>& noted, std::int64_t otherwise) {
    const std::int64_t value = noted.load(std::memory_order_relaxed);
    return value == 0 ? otherwise : value;
  };
  RunPosition position{.stage = stage_.load(std::memory_order_acquire)};
  const std::int64_t now = wall_ns();
  const std::int64_t began = time(began_ns_, 0);
  const std::int64_t ended = time(ended_ns_, now);
  const std::int64_t started = time(started_ns_, ended);
  position.share = share_.load(std::memory_order_relaxed);
  position.passed = Nanoseconds(passed_ns_.load(std::memory_order_relaxed));
  position.expected = Nanoseconds(expected_ns_.load(std::memory_order_relaxed));
  position.latest = Nanoseconds(latest_ns_.load(std::memory_order_relaxed));
  const std::int64_t from = measures_from_ns_.load(std::memory_order_relaxed);
  if (position.stage == RunStage::kWarmUp && position.passed >= Nanoseconds(from)) {
    position.stage = RunStage::kMeasuring;
  }
  position.wall_seconds = seconds_between(began, ended);
  position.set_up_wall_seconds = seconds_between(began, started);
  position.work_wall_seconds = seconds_between(started, time(finished_ns_, ended));
  return position;
}

}  // namespace verbena::workloads
