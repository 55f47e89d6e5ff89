// Advice that is given when nothing was measured.
#include "experiments/report/publish.h"

#include <gtest/gtest.h>

#include <string>

namespace verbena::experiments {
namespace {

std::string advice(const Measurement& measurement) {
  try {
    check_measured(20 * kMicrosecond, measurement);
  } catch (const NotMeasured& error) {
    return error.what();
  }
  return "";
}

TEST(CheckMeasured, IsContentWithOneCommit) {
  Measurement measurement;
  measurement.committed = measurement.total = 1;
  EXPECT_EQ(advice(measurement), "");
}

TEST(CheckMeasured, AdvisesWhatWouldHaveBeenEnough) {
  Measurement measurement;
  measurement.total = 5;
  measurement.in_flight_until = 7 * kMicrosecond;
  EXPECT_EQ(advice(measurement),
            "nothing completed in the 20.0 us that were measured; what was in flight ended 7.00 us "
            "later: "
            "try --duration 200us or longer");
}

TEST(CheckMeasured, AdvisesMoreWhereNobodyKnowsWhatIsEnough) {
  Measurement measurement;
  measurement.total = 5;
  EXPECT_EQ(advice(measurement),
            "nothing completed in the 20.0 us that were measured; try a longer time, such as "
            "--duration 200us");
}

TEST(CheckMeasured, NamesTheLinkThatWasDown) {
  Measurement measurement;
  measurement.total = 5;
  measurement.seconds = 2e-5;
  measurement.utilization.links_down = {
      {.link = "uplink", .times = 2, .from = 3_ns, .until = 7_ns, .share = 0}};
  EXPECT_EQ(advice(measurement),
            "nothing completed in the 20.0 us that were measured; link uplink was down from 3ns "
            "until 7ns by the simulation's clock, in 2 outages; try a "
            "longer time, such as --duration 200us");
}

TEST(CheckMeasured, DoesNotAdviseWhatDoesNotHelp) {
  EXPECT_EQ(advice({}),
            "nothing completed in the 20.0 us that were measured, nor before or after it");
}

}  // namespace
}  // namespace verbena::experiments
