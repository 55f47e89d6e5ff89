// What of the points that a hunt expects was never reached.
#include "experiments/hunt/expected_points.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace verbena::experiments {
namespace {

TEST(ExpectedPoints, NoneIsMissedWhereAllWereReached) {
  std::set<std::string, std::less<>> reached(expected_points().begin(), expected_points().end());
  reached.insert("room: what nobody expects");
  EXPECT_TRUE(never_reached(reached).empty());
}

TEST(ExpectedPoints, TellsWhatIsMissed) {
  EXPECT_EQ(never_reached({}).size(), expected_points().size());
  std::set<std::string, std::less<>> reached(expected_points().begin(), expected_points().end());
  const std::string_view first = expected_points().front();
  reached.erase(std::string(first));
  ASSERT_EQ(never_reached(reached).size(), 1U);
  EXPECT_EQ(never_reached(reached).front(), first);
}

}  // namespace
}  // namespace verbena::experiments
