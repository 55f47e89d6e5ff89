// How far a run is, and when it is expected to end.
#include "workloads/measure/run_progress.h"

#include <gtest/gtest.h>

#include <vector>

#include "workloads/measure/end_forecast.h"
#include "workloads/measure/run_window.h"

namespace verbena::workloads {
namespace {

TEST(RunProgress, MeasuresFromTheTimeThatWasForeseen) {
  RunProgress progress;
  EXPECT_EQ(progress.read().stage, RunStage::kWaiting);
  progress.enter(RunStage::kWarmUp);
  progress.passed_ns() = 100'000;
  EXPECT_EQ(progress.read().stage, RunStage::kWarmUp) << "nobody knows yet when it measures";
  progress.foresee(90 * kMicrosecond, kMillisecond, kMillisecond);
  EXPECT_EQ(progress.read().stage, RunStage::kMeasuring);
  EXPECT_EQ(progress.read().expected, kMillisecond);
}

TEST(RunProgress, KeepsTimesOfStagesThatAreOver) {
  RunProgress progress;
  progress.enter(RunStage::kLoading);
  progress.enter(RunStage::kWarmUp);
  progress.enter(RunStage::kEnded);
  const RunPosition once = progress.read();
  const RunPosition again = progress.read();
  EXPECT_EQ(once.wall_seconds, again.wall_seconds) << "it has ended";
  EXPECT_LE(once.set_up_wall_seconds + once.work_wall_seconds, once.wall_seconds + 1e-9);
}

// Intervals of 10 us, whose throughput is by turns so much more and less than 100.
IntervalSeries alternating(std::size_t intervals, std::uint32_t swing) {
  std::vector<IntervalCounts> counts;
  for (std::size_t i = 0; i < intervals; ++i) {
    const std::uint32_t committed = i % 4 < 2 ? 100 + swing : 100 - swing;
    counts.push_back({.committed = committed, .latency_ns = std::uint64_t{committed} * 1000});
  }
  return {10 * kMicrosecond, counts};
}

TEST(LengthUntilPrecise, GrowsWithTheSquareOfWhatIsAskedFor) {
  const IntervalSeries series = alternating(25 * 6, 40);
  const Nanoseconds coarse = length_until_precise(series, 0.02);
  const Nanoseconds fine = length_until_precise(series, 0.01);
  ASSERT_GT(coarse, 0_ns);
  EXPECT_NEAR(static_cast<double>(fine.count()) / static_cast<double>(coarse.count()), 4, 0.01);
}

TEST(LengthUntilPrecise, IsUnknownOfTooShortASeries) {
  EXPECT_EQ(length_until_precise(alternating(10, 40), 0.01), 0_ns);
}

TEST(UsualLength, FollowsFromTheRateOfCommits) {
  EXPECT_EQ(usual_length(kMillisecond, 45'000, 0.01), kMillisecond);
  EXPECT_EQ(usual_length(kMillisecond, 4'500, 0.01), 10 * kMillisecond);
  EXPECT_EQ(usual_length(kMillisecond, 45'000, 0.005), 4 * kMillisecond);
}

TEST(EndForecast, IsTheEndWhereThatWasAskedFor) {
  const RunWindow window(100 * kMicrosecond, kMillisecond, {});
  const EndForecast end = window.forecast(50 * kMicrosecond, {}, {}, 0, 0);
  EXPECT_EQ(end.expected, 1100 * kMicrosecond);
  EXPECT_EQ(end.latest, end.expected);
}

TEST(EndForecast, IsNeverBeyondTheLatestEnd) {
  const RunWindow window(std::nullopt, std::nullopt, {.longest = 5 * kMillisecond});
  const IntervalSeries course = alternating(100, 90);
  const EndForecast end = window.forecast(kMillisecond, course, {}, 0, 0);
  EXPECT_EQ(end.latest, 5 * kMillisecond);
  EXPECT_LE(end.expected, end.latest);
  EXPECT_GT(end.expected, kMillisecond);
}

}  // namespace
}  // namespace verbena::workloads
