// How long a series takes still.
#include "experiments/points/time_left.h"

#include <gtest/gtest.h>

namespace verbena::experiments {
namespace {

using workloads::RunStage;

PointCourse waiting(double work_seconds, const std::string& kind = "a") {
  return {.cost = {.set_up_seconds = 1, .work_seconds = work_seconds, .kind = kind},
          .position = {}};
}

// It has worked for `seconds`, and come to `share` of its simulated time.
PointCourse working(double work_seconds, double seconds, double share,
                    const std::string& kind = "a") {
  PointCourse point = waiting(work_seconds, kind);
  point.position = {.stage = RunStage::kMeasuring,
                    .passed = Nanoseconds(static_cast<std::int64_t>(share * 1e6)),
                    .expected = kMillisecond,
                    .wall_seconds = seconds + 1,
                    .set_up_wall_seconds = 1,
                    .work_wall_seconds = seconds};
  return point;
}

PointCourse ended(double work_seconds, double seconds, const std::string& kind = "a") {
  PointCourse point = working(work_seconds, seconds, 1, kind);
  point.position.stage = RunStage::kEnded;
  return point;
}

// Within what the check after a run takes.
void expect_about(double seconds, double expected) {
  EXPECT_NEAR(seconds, expected, 0.03 * expected);
}

TEST(SecondsLeft, BeforeAnythingIsKnownAreThoseThatWereExpected) {
  expect_about(seconds_left({waiting(20)}, 1), 21);
  expect_about(seconds_left({waiting(20), waiting(10)}, 1), 32);
  expect_about(seconds_left({waiting(20), waiting(10)}, 2), 21);
}

TEST(SecondsLeft, OfAPointAtWorkFollowFromItsOwnPace) {
  expect_about(seconds_left({working(20, 10, 0.1)}, 1), 90);
  expect_about(seconds_left({working(2000, 10, 0.5)}, 1), 10.4);
}

TEST(SecondsLeft, OfPointsThatWaitFollowFromOthers) {
  expect_about(seconds_left({ended(20, 40), waiting(20)}, 1), 41);
  expect_about(seconds_left({working(20, 10, 0.1), waiting(20)}, 1), 90 + 101);
}

TEST(SecondsLeft, OfAKindFollowFromThatKindWhereItIsKnown) {
  const std::vector<PointCourse> points = {ended(20, 200, "slow"), ended(20, 20, "quick"),
                                           waiting(20, "quick")};
  expect_about(seconds_left(points, 1), 21);
}

TEST(SecondsLeft, OfWhatFailedTeachNothing) {
  PointCourse failed = ended(20, 0.1);
  failed.position.stage = RunStage::kFailed;
  expect_about(seconds_left({failed, waiting(20)}, 1), 21);
}

TEST(SecondsLeft, AreNoneWhenAllHaveEnded) {
  EXPECT_EQ(seconds_left({ended(20, 10), ended(20, 10)}, 2), 0);
}

TEST(MostSecondsLeft, GoByTheLatestEnd) {
  PointCourse point = working(20, 10, 0.5);
  EXPECT_LT(most_seconds_left(point), 0);
  point.position.latest = 2 * kMillisecond;
  expect_about(most_seconds_left(point), 30);
}

}  // namespace
}  // namespace verbena::experiments
