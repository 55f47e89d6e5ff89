// Ends of hunted runs.
#include "experiments/hunt/outcome.h"

#include <gtest/gtest.h>

namespace verbena::experiments {
namespace {

Outcome of_code(int code, bool out_of_time = false) {
  ProcessEnd end;
  end.succeeded = code == 0;
  end.code = code;
  end.out_of_time = out_of_time;
  return outcome_of(end);
}

TEST(HuntOutcome, FollowsTheExitCode) {
  EXPECT_EQ(of_code(0), Outcome::kPassed);
  EXPECT_EQ(of_code(2), Outcome::kRefused);
  EXPECT_EQ(of_code(3), Outcome::kStuck);
  EXPECT_EQ(of_code(4), Outcome::kUnsafe);
  EXPECT_EQ(of_code(6), Outcome::kStuck);
  EXPECT_EQ(of_code(1), Outcome::kCrashed);
  EXPECT_EQ(of_code(-11), Outcome::kCrashed);
}

TEST(HuntOutcome, WhoDoesNotEndIsStuck) { EXPECT_EQ(of_code(-1, true), Outcome::kStuck); }

}  // namespace
}  // namespace verbena::experiments
