// Numbers that come in any order count as far as none is missing.
#include "txn/unbroken_run.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace verbena::txn {
namespace {

TEST(UnbrokenRun, EndsBeforeWhatIsMissing) {
  UnbrokenRun run;
  EXPECT_EQ(run.end(), 0U);
  EXPECT_TRUE(run.add(2));
  EXPECT_EQ(run.end(), 0U);
  EXPECT_TRUE(run.add(1));
  EXPECT_EQ(run.end(), 2U);
}

TEST(UnbrokenRun, TellsWhatHadComeBefore) {
  UnbrokenRun run;
  EXPECT_TRUE(run.add(1));
  EXPECT_TRUE(run.add(3));
  EXPECT_FALSE(run.add(1));
  EXPECT_FALSE(run.add(3));
  EXPECT_EQ(run.end(), 1U);
}

TEST(UnbrokenRun, IsAsASetWouldTell) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& numbers) {
    UnbrokenRun run;
    std::set<std::uint32_t> come;
    for (const std::uint8_t number : numbers) {
      RC_ASSERT(run.add(1U + number) == come.insert(1U + number).second);
      std::uint32_t end = 0;
      while (come.contains(end + 1)) ++end;
      RC_ASSERT(run.end() == end);
    }
  }));
}

}  // namespace
}  // namespace verbena::txn
