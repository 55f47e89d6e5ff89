// Lines of help are broken where words end, and stay in their column.
#include "experiments/cli/text/wrap_text.h"

#include <gtest/gtest.h>

namespace verbena::experiments {
namespace {

TEST(WrapText, LeavesShortLinesAsTheyAre) {
  EXPECT_EQ(wrapped("one\n\n  two  three\n", 20, 10), "one\n\n  two  three\n");
}

TEST(WrapText, KeepsExplanationsInTheirColumn) {
  EXPECT_EQ(wrapped("  --flag   what it means and more", 20, 11),
            "  --flag   what it\n           means and\n           more");
}

TEST(WrapText, IndentsOtherLinesLikeTheirBeginning) {
  EXPECT_EQ(wrapped("  some words and more", 12, 11), "  some words\n  and more");
}

TEST(WrapText, DoesNotBreakWords) {
  EXPECT_EQ(wrapped("  --set KEY  aaaaaaaaaaaaaaaaaa bbb", 16, 13),
            "  --set KEY  aaaaaaaaaaaaaaaaaa\n             bbb");
}

}  // namespace
}  // namespace verbena::experiments
