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

}  // namespace
}  // namespace verbena::experiments
