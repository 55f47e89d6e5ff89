// Shares of this machine's memory for runs at once.
#include "experiments/points/memory_share.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace verbena::experiments {
namespace {

TEST(MemoryShare, IsAnEvenOneOfAllRunsAtOnce) {
  EXPECT_EQ(memory_share(900, 3, 0), 300U);
  EXPECT_EQ(memory_share(900, 1, 0), 900U);
  EXPECT_EQ(memory_share(900, 0, 0), 900U);
}

TEST(MemoryShare, OfARunThatIsExpectedToTakeMoreIsWhatItTakes) {
  EXPECT_EQ(memory_share(900, 3, 200), 300U);
  EXPECT_EQ(memory_share(900, 3, 500), 500U) << "no more than one such runs at once";
  EXPECT_EQ(memory_share(900, 3, 5000), 900U);
}

TEST(MemoryShare, IsGivenToAProgramOnce) {
  EXPECT_EQ(inherited_memory_share(), 0U);
  std::string line = memory_share_line(12345);
  ASSERT_EQ(putenv(line.data()), 0);
  EXPECT_EQ(inherited_memory_share(), 12345U);
  EXPECT_EQ(inherited_memory_share(), 0U) << "its own programs are given their own";
}

}  // namespace
}  // namespace verbena::experiments
