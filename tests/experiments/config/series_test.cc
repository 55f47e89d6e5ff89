// Lists and ranges of values.
#include "experiments/config/series.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace verbena::experiments {
namespace {

using Texts = std::vector<std::string>;

Texts values_of(const std::string& key, const std::string& text) {
  return listed_values({key, text, "--" + key}).value_or(Texts{});
}

std::string complaint(const std::string& text) {
  try {
    listed_values({"nodes", text, "--nodes"});
  } catch (const PlacedError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(ListedValues, AreSeparatedByCommas) {
  EXPECT_EQ(values_of("nodes", "4,8"), (Texts{"4", "8"}));
  EXPECT_EQ(values_of("system", "drtmh,./mine.toml"), (Texts{"drtmh", "./mine.toml"}));
  EXPECT_EQ(values_of("nodes", "4"), Texts{});
}

TEST(ListedValues, MayBeRanges) {
  EXPECT_EQ(values_of("nodes", "3..6"), (Texts{"3", "4", "5", "6"}));
  EXPECT_EQ(values_of("nodes", "1..8+3"), (Texts{"1", "4", "7"}));
  EXPECT_EQ(values_of("nodes", "4..64*2"), (Texts{"4", "8", "16", "32", "64"}));
  EXPECT_EQ(values_of("nodes", "1,4..6,9"), (Texts{"1", "4", "5", "6", "9"}));
  EXPECT_EQ(values_of("duration", "1..3ms"), (Texts{"1ms", "2ms", "3ms"}));
  EXPECT_EQ(values_of("duration", "500us..2000us*2"), (Texts{"500us", "1000us", "2000us"}));
  EXPECT_EQ(values_of("fabric.ud_loss", "0..0.3+0.1"), (Texts{"0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(values_of("nodes", "5..5"), Texts{}) << "is one value";
}

TEST(ListedValues, ThatAreTooLongForARangeAreOneValue) {
  const std::string text = std::string(200'000, '1') + "..2";
  EXPECT_EQ(values_of("nodes", text), Texts{});
}

TEST(ListedValues, OfTextsWithCommasAreSeparatedByBars) {
  EXPECT_EQ(values_of("plan", "commit=two-sided,lock=two-sided"), Texts{});
  EXPECT_EQ(values_of("plan", "|commit=two-sided,lock=two-sided"),
            (Texts{"", "commit=two-sided,lock=two-sided"}));
  EXPECT_EQ(values_of("topology", "fat-tree:2;2,2;1,2;1,2"), Texts{});
  EXPECT_EQ(values_of("topology", "star|torus:2,2"), (Texts{"star", "torus:2,2"}));
  EXPECT_EQ(values_of("topology", "star,torus"), (Texts{"star", "torus"}));
}

TEST(ListedValues, AreNotOfWhatBelongsToTheProcess) {
  for (const char* key : {"fabric", "peers", "json", "trace", "out", "node", "device"}) {
    EXPECT_EQ(values_of(key, "a,b"), Texts{}) << key;
  }
}

TEST(ListedValues, OfARangeThatNeverEndsAreRefused) {
  EXPECT_EQ(complaint("8..4"), "--nodes: 8..4: the range ends before it begins");
  EXPECT_NE(complaint("1..8*1").find("never ends"), std::string::npos);
  EXPECT_NE(complaint("0..8*2").find("never ends"), std::string::npos);
  EXPECT_NE(complaint("1..8+0").find("never ends"), std::string::npos);
  EXPECT_EQ(complaint("1us..8ms"), "--nodes: 1us..8ms: the units of a range are the same");
  EXPECT_NE(complaint("1..100000").find("more than 1000 values"), std::string::npos);
}

TEST(Series, TakeTheLastThatIsSaidOfAKey) {
  CommandLine line;
  line.config = {{"nodes", "4,8", "c"}, {"threads", "1,2", "c"}};
  line.flags = {{"nodes", "5", "--nodes"}};
  line.sets = {{"threads", "3..4", "--set"}};
  const Series series = expand_lists(line);
  EXPECT_EQ(series.lists, (std::map<std::string, std::string>{{"threads", "3,4"}}));
  ASSERT_EQ(series.lines.size(), 2U);
  EXPECT_EQ(series.lines[1].sets[0].value, "4");
}

TEST(Series, LeaveOutWhatHasNoValue) {
  CommandLine line;
  line.flags = {{"plan", "|log=two-sided", "--plan"}};
  const Series series = expand_lists(line);
  ASSERT_EQ(series.lines.size(), 2U);
  EXPECT_TRUE(series.lines[0].flags.empty());
  EXPECT_EQ(series.lines[1].flags[0].value, "log=two-sided");
}

TEST(RepeatedSeeds, BeginWithTheGivenOneAndDoNotMeetThoseOfTheNext) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_EQ(repeated_seed(seed, 0, ""), seed);
    for (std::uint32_t i = 0; i < 100; ++i) seeds.insert(repeated_seed(seed, i, ""));
  }
  EXPECT_EQ(seeds.size(), 300U);
}

TEST(RepeatedSeeds, FollowFromThePlaceThatHasItsOwn) {
  EXPECT_EQ(repeated_seed(1, 2, "nodes=4;"), repeated_seed(1, 2, "nodes=4;"));
  EXPECT_NE(repeated_seed(1, 0, "nodes=4;"), repeated_seed(1, 0, "nodes=8;"));
}

}  // namespace
}  // namespace verbena::experiments
