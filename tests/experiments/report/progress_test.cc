// Sentences about progress.
#include "experiments/report/progress.h"

#include <gtest/gtest.h>

namespace verbena::experiments {
namespace {

TEST(ProgressText, EstimatesTheTimeLeft) {
  EXPECT_EQ(progress_text(0.25, 10), "25 % after 10 s, 30 s left");
  EXPECT_EQ(progress_text(1, 10), "100 % after 10 s, 0 s left");
  EXPECT_EQ(progress_text(-1, 3), "setting up for 3 s");
}

TEST(ProgressText, EstimatesNothingFromTooLittle) {
  EXPECT_EQ(progress_text(0.005, 10), "0 % after 10 s");
  EXPECT_EQ(progress_text(0.5, 0.1), "50 % after 0 s") << "0 s would be left";
}

ProgressText at(const std::string& stage, double fraction) {
  return {.text = "", .stage = stage, .fraction = fraction};
}

TEST(LineRule, TellsAtOnceAndThenWhatIsNew) {
  LineRule rule;
  EXPECT_TRUE(rule.tells(at("loading", 0), 0.25));
  EXPECT_FALSE(rule.tells(at("loading", 0.05), 2));
  EXPECT_TRUE(rule.tells(at("warming up", 0.05), 2.5));
  EXPECT_TRUE(rule.tells(at("warming up", 0.11), 4));
  EXPECT_FALSE(rule.tells(at("warming up", 0.05), 6)) << "an estimate that grew is no tenth";
}

TEST(LineRule, TellsAtMostOneLineASecondAndAtLeastOneInTen) {
  LineRule rule;
  EXPECT_TRUE(rule.tells(at("loading", -1), 0.25));
  EXPECT_FALSE(rule.tells(at("warming up", 0.3), 0.5));
  EXPECT_TRUE(rule.tells(at("warming up", 0.3), 1.25)) << "what was held back comes later";
  EXPECT_FALSE(rule.tells(at("warming up", 0.3), 11));
  EXPECT_TRUE(rule.tells(at("warming up", 0.3), 11.25));
}

TEST(LineRule, AlwaysTellsTheEnd) {
  LineRule rule;
  EXPECT_TRUE(rule.tells(at("measuring", 0.9), 0.25));
  EXPECT_TRUE(rule.tells(at("done", 1), 0.3));
}

}  // namespace
}  // namespace verbena::experiments
