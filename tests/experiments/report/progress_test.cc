// What people are told of how long it will take.
#include "experiments/report/progress.h"

#include <gtest/gtest.h>

namespace verbena::experiments {
namespace {

TEST(ProgressText, TellsWhatIsLeftFromWhatIsDone) {
  EXPECT_EQ(progress_text(0.25, 10), "25 % after 10 s, 30 s left");
  EXPECT_EQ(progress_text(1, 10), "100 % after 10 s, 0 s left");
  EXPECT_EQ(progress_text(-1, 3), "setting up for 3 s");
}

TEST(ProgressText, GuessesNothingFromTooLittle) {
  EXPECT_EQ(progress_text(0.005, 10), "0 % after 10 s");
  EXPECT_EQ(progress_text(0.5, 0.1), "50 % after 0 s") << "0 s would be left";
}

}  // namespace
}  // namespace verbena::experiments
