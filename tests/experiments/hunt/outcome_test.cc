// Ends of hunted runs.
#include "experiments/hunt/outcome.h"

#include <gtest/gtest.h>

#include <string>

namespace verbena::experiments {
namespace {

constexpr int kStuckCode = 6;

ProcessEnd ends(int code, const std::string& error) {
  return {.succeeded = code == 0, .code = code, .error = error};
}

const std::string kDead =
    "verbena: node 1: ... in its way is key 3, prepared by node 2, which is dead";

TEST(HuntOutcome, WhoWaitsForTheDeadWaitsRightly) {
  EXPECT_EQ(outcome_of(ends(kStuckCode, kDead), true), Outcome::kPassed);
}

TEST(HuntOutcome, NobodyIsDeadWhereNobodyWasKilled) {
  EXPECT_EQ(outcome_of(ends(kStuckCode, kDead), false), Outcome::kStuck);
}

TEST(HuntOutcome, WhoWaitsForOthersIsStuckThoughANodeWasKilled) {
  const std::string alive = "verbena: node 1: ... in its way is key 3 of node 0";
  EXPECT_EQ(outcome_of(ends(kStuckCode, alive), true), Outcome::kStuck);
  EXPECT_EQ(outcome_of(ends(3, kDead), true), Outcome::kStuck);
  EXPECT_EQ(outcome_of(ends(4, kDead), true), Outcome::kUnsafe);
}

}  // namespace
}  // namespace verbena::experiments
