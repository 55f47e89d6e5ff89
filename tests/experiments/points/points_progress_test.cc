// News of points that are being measured.
#include "experiments/points/points_progress.h"

#include <gtest/gtest.h>

#include <string>

namespace verbena::experiments {
namespace {

std::string text_of(bool simulated) {
  PointCourse point;
  point.cost.simulated = simulated;
  point.position = {
      .stage = workloads::RunStage::kMeasuring, .passed = 1'234'567'890_ns, .wall_seconds = 7};
  return run_progress_text(point).text;
}

TEST(RunProgress, TellsSimulatedTime) {
  EXPECT_EQ(text_of(true).find("measuring, 1234567us simulated after 7 s"), 0U) << text_of(true);
}

TEST(RunProgress, TellsTimeOfTheClockOnHardware) {
  EXPECT_EQ(text_of(false).find("measuring, 1234ms after 7 s"), 0U) << text_of(false);
}

// A point after a second and a simulated millisecond, which expects its end then.
PointCourse point_at(Nanoseconds end) {
  PointCourse point;
  point.position = {.stage = workloads::RunStage::kMeasuring,
                    .passed = 1 * kMillisecond,
                    .expected = end,
                    .latest = end,
                    .wall_seconds = 1,
                    .work_wall_seconds = 1};
  return point;
}

TEST(SeriesProgress, NeverTellsASmallerPartThanBefore) {
  const double first = series_progress_text({point_at(3 * kMillisecond)}, 1, 1).fraction;
  const ProgressText later = series_progress_text({point_at(10 * kMillisecond)}, 1, 1, first);
  EXPECT_LT(series_progress_text({point_at(10 * kMillisecond)}, 1, 1).fraction, first);
  EXPECT_EQ(later.fraction, first);
  EXPECT_NE(later.text.find("about 9 s left"), std::string::npos) << later.text;
}

}  // namespace
}  // namespace verbena::experiments
