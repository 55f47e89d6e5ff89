// The language of claims: what each form means, and what it refuses.
#include "experiments/reproduce/figure/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

// read falls from 80 to 20, rpc from 40 to 20; hole was not measured at 64; cases has categories.
Curve known_curve(const std::string& series, const std::string& quantity) {
  static const std::map<std::string, Curve> curves = {
      {"read", {{"8", 8, 80}, {"64", 64, 60}, {"256", 256, 20}}},
      {"rpc", {{"8", 8, 40}, {"64", 64, 40}, {"256", 256, 20}, {"512", 512, 10}}},
      {"far", {{"1024", 1024, 1}}},
      {"hole", {{"8", 8, 1}, {"64", 64, std::numeric_limits<double>::quiet_NaN()}}},
      {"cases", {{"base", 0, 1}, {"+CO", 1, 7}, {"+DB", 2, 8}}},
  };
  const auto found = curves.find(series);
  if (found == curves.end()) throw ConfigurationError("unknown series '" + series + "'");
  Curve curve = found->second;
  if (quantity == "p99") {
    for (CurvePoint& point : curve) point.y *= 10;
  }
  return curve;
}

Value value_of(const std::string& text) { return evaluate(text, known_curve); }
double number(const std::string& text) { return std::get<double>(value_of(text)); }

TEST(ExpressionTest, NumbersAndPrecedence) {
  EXPECT_DOUBLE_EQ(number("1.5"), 1.5);
  EXPECT_DOUBLE_EQ(number("1 + 2 * 3"), 7);
  EXPECT_DOUBLE_EQ(number("(1 + 2) * 3"), 9);
  EXPECT_DOUBLE_EQ(number("8 / 4 / 2"), 1);
  EXPECT_DOUBLE_EQ(number("5 - 2 - 1"), 2);
  EXPECT_DOUBLE_EQ(number("-2 * 3"), -6);
}

TEST(ExpressionTest, OnePlaceOfASeriesIsANumber) {
  EXPECT_DOUBLE_EQ(number("read[64]"), 60);
  EXPECT_DOUBLE_EQ(number("cases[\"+CO\"]"), 7);
  EXPECT_DOUBLE_EQ(number("read[64] / rpc[64] - 1"), 0.5);
}

TEST(ExpressionTest, RangesOfASeriesAreCurves) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> rows = {
      {"rpc[<64]", {"8"}},
      {"rpc[<=64]", {"8", "64"}},
      {"rpc[>64]", {"256", "512"}},
      {"rpc[>=64]", {"64", "256", "512"}},
      {"rpc[64..256]", {"64", "256"}},
      {"rpc[8, >256]", {"8", "512"}},
      {"cases[\"base\", \"+DB\"]", {"base", "+DB"}},
  };
  for (const auto& [text, expected] : rows) {
    std::vector<std::string> places;
    const Curve curve = std::get<Curve>(value_of(text));
    for (const CurvePoint& point : curve) places.push_back(point.at);
    EXPECT_EQ(places, expected) << text;
  }
}

TEST(ExpressionTest, ArithmeticPairsEqualPlaces) {
  const Curve ratio = std::get<Curve>(value_of("read / rpc"));
  ASSERT_EQ(ratio.size(), 3U);
  EXPECT_DOUBLE_EQ(ratio[0].y, 2);
  EXPECT_DOUBLE_EQ(ratio[1].y, 1.5);
  EXPECT_DOUBLE_EQ(ratio[2].y, 1);
  EXPECT_DOUBLE_EQ(number("(1 - read / 100)[8]"), 0.2);
}

TEST(ExpressionTest, Reductions) {
  EXPECT_DOUBLE_EQ(number("max(read)"), 80);
  EXPECT_DOUBLE_EQ(number("min(read / rpc)"), 1);
  EXPECT_DOUBLE_EQ(number("mean(rpc[<256])"), 40);
  EXPECT_DOUBLE_EQ(number("max(read) / max(rpc)"), 2);
}

TEST(ExpressionTest, AnotherQuantityOfASeries) { EXPECT_DOUBLE_EQ(number("read.p99[8]"), 800); }

TEST(ExpressionTest, OrderingsHoldAtEveryPoint) {
  EXPECT_TRUE(std::get<Ordering>(value_of("read >= rpc")).holds);
  const Ordering broken = std::get<Ordering>(value_of("read > rpc"));
  EXPECT_TRUE(broken.known);
  EXPECT_FALSE(broken.holds);
  EXPECT_EQ(broken.where, "20 (read) is not > 20 (rpc) at 256");
  EXPECT_TRUE(std::get<Ordering>(value_of("read[<256] > rpc[<256] and 2 < 3")).holds);
  EXPECT_FALSE(std::get<Ordering>(value_of("2 < 3 and read < rpc")).holds);
}

TEST(ExpressionTest, OrderingsOfNumbersTellThem) {
  const Ordering held = std::get<Ordering>(value_of("read[8] > rpc[8] and 2 < 3 and read > 1"));
  EXPECT_EQ(held.numbers, "80 > 40, 2 < 3");
  EXPECT_EQ(std::get<Ordering>(value_of("read > 1")).numbers, "");
  const Ordering broken = std::get<Ordering>(value_of("2 < 3 and 1 >= 2 * read.p99[8]"));
  EXPECT_EQ(broken.numbers, "2 < 3, 1 not >= 1600");
  EXPECT_EQ(broken.where, "1 is not >= 1600 (2 * read.p99[8])");
}

TEST(ExpressionTest, OrderingsTellAtHowManyPlacesTheyAreJudged) {
  struct Row {
    const char* text;
    std::size_t places;
    std::size_t left_out;
  };
  for (const auto& [text, places, left_out] :
       {Row{"2 < 3", 1, 0}, Row{"read > 1", 3, 0}, Row{"read >= rpc", 3, 1},
        Row{"rpc <= read", 3, 1}, Row{"read[<256] >= rpc", 2, 2},
        Row{"read[<256] >= rpc[<256]", 2, 0}, Row{"(read - rpc) >= 0", 3, 1},
        Row{"(read - rpc) >= (read - rpc)", 3, 1}, Row{"read >= rpc and rpc > 0", 7, 1},
        Row{"max(read / rpc) < 3 and read > 0", 4, 1}, Row{"read < rpc", 3, 1}}) {
    const Ordering ordering = std::get<Ordering>(value_of(text));
    EXPECT_EQ(ordering.places, places) << text;
    EXPECT_EQ(ordering.left_out, left_out) << text;
  }
}

TEST(ExpressionTest, NothingIsKnownOfWhatIsDividedByZero) {
  EXPECT_TRUE(std::isnan(number("1 / 0")));
  EXPECT_TRUE(std::isnan(number("max(read / (rpc - rpc))")));
  EXPECT_FALSE(std::get<Ordering>(value_of("1 / 0 > 1")).known);
}

TEST(ExpressionTest, WhatWasNotMeasuredIsUnknown) {
  EXPECT_DOUBLE_EQ(number("hole[8]"), 1);
  EXPECT_TRUE(std::isnan(number("hole[64]")));
  EXPECT_TRUE(std::isnan(number("max(hole)")));
  EXPECT_FALSE(std::get<Ordering>(value_of("hole > 0")).known);
  EXPECT_FALSE(std::get<Ordering>(value_of("1 < 2 and hole > 0")).known);
  // One that is broken decides.
  EXPECT_TRUE(std::get<Ordering>(value_of("hole > 0 and 2 < 1")).known);
  EXPECT_TRUE(std::get<Ordering>(value_of("2 < 1 and hole > 0")).known);
}

TEST(ExpressionTest, RefusesWithTheColumn) {
  const std::string deep = std::string(200, '(').append("1").append(200, ')');
  const std::vector<std::pair<const char*, const char*>> rows = {
      {deep.c_str(), "more than 100 levels"},
      {"", "column 1: expected a number, a series or '('"},
      {"read +", "column 7: expected a number, a series or '('"},
      {"read rpc", "column 6: expected an operator or the end"},
      {"(1 + 2", "expected ')'"},
      {"max(3)", "max() takes a curve"},
      {"avg(read)", "unknown function avg"},
      {"3[8]", "[ ] needs a curve before it"},
      {"read[1000]", "the selection before this place has no points"},
      {"read[\"64]", "a \" is missing"},
      {"read[x]", "expected a number"},
      {"read / far", "have no points in common"},
      {"read > far", "have no points in common"},
      {"(1 < 2) + 1", "a comparison is not a number"},
      {"1 and 2 < 3", "'and' joins comparisons"},
      {"raed", "unknown series 'raed'"},
  };
  for (const auto& [text, part] : rows) {
    try {
      value_of(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const ConfigurationError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << text << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace verbena::experiments
