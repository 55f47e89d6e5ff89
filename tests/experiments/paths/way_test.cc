// Ways go on without a gap, and what was waited for takes the place of what was done meanwhile.
#include "experiments/paths/way.h"

#include <gtest/gtest.h>

namespace verbena::experiments {
namespace {

constexpr Part kWork = {Place::kOwnCore, Part::Kind::kActivity, 0};
constexpr Part kWait = {Place::kOwnNic, Part::Kind::kDelay, 0};

TEST(Way, MergesWhatGoesOn) {
  Way way(Picoseconds(100));
  EXPECT_EQ(way.until(), Picoseconds(100));
  way.go_on(kWork, Picoseconds(150));
  way.go_on(kWork, Picoseconds(200));
  way.go_on(kWait, Picoseconds(200));
  way.go_on(kWait, Picoseconds(180));
  ASSERT_EQ(way.segments().size(), 1U) << "nothing took no time, and time does not go back";
  way.go_on(kWait, Picoseconds(300));
  EXPECT_EQ(way.segments().size(), 2U);
  EXPECT_EQ(way.until(), Picoseconds(300));
}

TEST(Way, KeepsRequestsApart) {
  Way way;
  way.go_on(kWork, Picoseconds(10));
  way.begin_request();
  way.go_on(kWork, Picoseconds(20));
  way.go_on(kWork, Picoseconds(30));
  ASSERT_EQ(way.segments().size(), 2U);
  EXPECT_FALSE(way.segments()[0].begins_request);
  EXPECT_TRUE(way.segments()[1].begins_request);
  EXPECT_EQ(way.segments()[1].until, Picoseconds(30));
}

TEST(Way, TakesABranchInsteadOfWhatCameAfterIt) {
  Way way;
  way.go_on(kWork, Picoseconds(10));
  way.go_on(kWait, Picoseconds(20));
  way.go_on(kWork, Picoseconds(50));
  Way branch(Picoseconds(15));
  branch.go_on(kWork, Picoseconds(70));
  way.take(branch);
  ASSERT_EQ(way.segments().size(), 3U);
  EXPECT_EQ(way.segments()[1].part, kWait);
  EXPECT_EQ(way.segments()[1].until, Picoseconds(15)) << "what was under way then is cut";
  EXPECT_EQ(way.segments()[2].until, Picoseconds(70));
}

TEST(Way, TakesABranchFromItsBegin) {
  Way way(Picoseconds(5));
  way.go_on(kWork, Picoseconds(50));
  Way branch(Picoseconds(5));
  branch.go_on(kWait, Picoseconds(60));
  way.take(branch);
  ASSERT_EQ(way.segments().size(), 1U);
  EXPECT_EQ(way.segments()[0].part, kWait);
}

}  // namespace
}  // namespace verbena::experiments
