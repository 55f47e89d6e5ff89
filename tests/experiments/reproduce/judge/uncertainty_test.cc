// Intervals of expressions, against brute force.
#include "experiments/reproduce/judge/uncertainty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace verbena::experiments {
namespace {

using Curves = std::map<std::string, std::vector<UncertainPoint>>;

// A point whose error is its own.
UncertainPoint point(const std::string& name, double x, double y, double half_width) {
  return {.point = {.at = std::to_string(static_cast<int>(x)), .x = x, .y = y},
          .source = name + std::to_string(x),
          .interval = QuantityInterval{.low = y - half_width, .high = y + half_width}};
}

Propagated propagated(const std::string& expression, const Curves& curves) {
  const auto lookup = [&](const std::string& series, const std::string&) {
    return curves.at(series);
  };
  return propagate(lookup, [&](const CurveLookup& drawn) {
    const Value value = evaluate(expression, drawn);
    const auto* ordering = std::get_if<Ordering>(&value);
    return std::vector<double>{ordering != nullptr ? ordering->margin : std::get<double>(value)};
  });
}

// Between what 95 % of many values of `of` lie, of independent normal a and b.
template <typename Of>
std::pair<double, double> brute_force(std::pair<double, double> a, std::pair<double, double> b,
                                      Of of) {
  std::mt19937 random(4711);
  std::normal_distribution<double> normal;
  std::vector<double> values(200'000);
  for (double& value : values) {
    const double first = a.first + a.second / 1.96 * normal(random);
    value = of(first, b.first + b.second / 1.96 * normal(random));
  }
  std::sort(values.begin(), values.end());
  return {values[values.size() / 40], values[values.size() - values.size() / 40]};
}

TEST(Uncertainty, IntervalsAreThoseOfBruteForce) {
  const std::pair<double, double> a{100, 10};
  const std::pair<double, double> b{50, 4};
  const Curves curves = {{"a", {point("a", 1, a.first, a.second)}},
                         {"b", {point("b", 1, b.first, b.second)}}};
  const auto expect = [&](const std::string& expression, auto of) {
    const auto [low, high] = brute_force(a, b, of);
    const QuantityInterval interval = propagated(expression, curves).intervals[0];
    // Joined with the mirror image about the value.
    const double value = of(a.first, b.first);
    const double allowed = 0.06 * (high - low);
    EXPECT_NEAR(interval.low, std::min(low, 2 * value - high), allowed) << expression;
    EXPECT_NEAR(interval.high, std::max(high, 2 * value - low), allowed) << expression;
  };
  expect("a[1] - b[1]", [](double x, double y) { return x - y; });
  expect("a[1] / b[1]", [](double x, double y) { return x / y; });
  expect("a[1] * b[1] + 3", [](double x, double y) { return x * y + 3; });
  expect("1 - b[1] / a[1]", [](double x, double y) { return 1 - y / x; });
}

TEST(Uncertainty, MeansOfManyPointsAreKnownBetterThanEach) {
  Curves curves;
  for (int i = 1; i <= 16; ++i) curves["a"].push_back(point("a", i, 100, 8));
  const QuantityInterval interval = propagated("mean(a)", curves).intervals[0];
  EXPECT_NEAR(interval.high - interval.low, 2 * 8 / 4.0, 0.4);
}

TEST(Uncertainty, TheLargestOfAlikePointsIsCovered) {
  // True values are 100 each, so that the largest is 100; what is measured is larger by chance.
  std::mt19937 random(1);
  std::normal_distribution<double> normal(100, 2);
  int covered = 0;
  int below = 0;
  constexpr int kExperiments = 60;
  for (int i = 0; i < kExperiments; ++i) {
    Curves curves;
    for (int k = 1; k <= 5; ++k) {
      curves["a"].push_back(point("a" + std::to_string(i), k, normal(random), 1.96 * 2));
    }
    const Propagated largest = propagated("max(a)", curves);
    covered += largest.intervals[0].low <= 100 && 100 <= largest.intervals[0].high ? 1 : 0;
    below += largest.values[0] < 100 ? 1 : 0;
  }
  EXPECT_GE(covered, kExperiments * 93 / 100);
  EXPECT_LT(below, kExperiments / 4);
}

TEST(Uncertainty, ALargestThatStandsOutHasItsOwnInterval) {
  const Curves curves = {{"a", {point("a", 1, 100, 1), point("a", 2, 50, 20)}}};
  const QuantityInterval interval = propagated("max(a)", curves).intervals[0];
  EXPECT_NEAR(interval.low, 99, 0.1);
  EXPECT_NEAR(interval.high, 101, 0.1);
}

TEST(Uncertainty, WhatIsTheSameErrsTogether) {
  const UncertainPoint one = point("a", 1, 100, 30);
  const Curves curves = {{"a", {one}}, {"b", {one}}};
  const Propagated ratio = propagated("a[1] / b[1]", curves);
  EXPECT_DOUBLE_EQ(ratio.intervals[0].low, 1);
  EXPECT_DOUBLE_EQ(ratio.intervals[0].high, 1);
}

TEST(Uncertainty, IntervalsMayBeWiderOnOneSide) {
  UncertainPoint skewed = point("a", 1, 100, 1);
  skewed.interval->high = 110;
  const QuantityInterval interval = propagated("a[1] + 0", {{"a", {skewed}}}).intervals[0];
  // The mirror image counts as well.
  EXPECT_NEAR(interval.high, 110, 1);
  EXPECT_NEAR(interval.low, 90, 1);
}

TEST(Uncertainty, FewDegreesOfFreedomKeepTheIntervalOfOnePoint) {
  UncertainPoint few = point("a", 1, 100, 12.7);
  few.interval->degrees_of_freedom = 2;
  const QuantityInterval interval = propagated("a[1]", {{"a", {few}}}).intervals[0];
  EXPECT_NEAR(interval.low, 87.3, 2.5);
  EXPECT_NEAR(interval.high, 112.7, 2.5);
}

TEST(Uncertainty, OrderingsHoldWithAProbability) {
  // The points differ by one standard deviation of their difference.
  const double half_width = 1.96 / std::sqrt(2.0);
  const Curves curves = {{"a", {point("a", 1, 101, half_width)}},
                         {"b", {point("b", 1, 100, half_width)}}};
  EXPECT_NEAR(propagated("a > b", curves).positive, 0.841, 0.03);
  EXPECT_NEAR(propagated("a < b", curves).positive, 0.159, 0.03);
  EXPECT_LT(propagated("a > b", curves).intervals[0].low, 0);
}

TEST(Uncertainty, SomeCertainPairDoesNotHideAnUncertainOne) {
  const Curves curves = {{"a", {point("a", 1, 200, 1), point("a", 2, 101, 5)}},
                         {"b", {point("b", 1, 100, 1), point("b", 2, 100, 5)}}};
  const Propagated ordering = propagated("a > b", curves);
  EXPECT_LT(ordering.intervals[0].low, 0);
  EXPECT_GT(ordering.intervals[0].high, 0);
  ASSERT_EQ(ordering.influences.size(), 2U);
  EXPECT_EQ(ordering.influences[0].at, "2");
}

TEST(Uncertainty, InfluencesAreSortedAndThoseWithoutAreLeftOut) {
  const Curves curves = {{"a", {point("a", 1, 100, 1), point("a", 2, 90, 5), point("a", 3, 5, 1)}}};
  const Propagated sum = propagated("a[1] + 2 * a[2]", curves);
  ASSERT_EQ(sum.influences.size(), 2U);
  EXPECT_EQ(sum.influences[0].at, "2");
  EXPECT_NEAR(sum.influences[0].effect, 10, 1e-9);
  EXPECT_NEAR(sum.influences[1].effect, 1, 1e-9);
}

TEST(Uncertainty, PointsWithoutAnIntervalAreToldAndNotDrawn) {
  UncertainPoint unknown = point("a", 1, 100, 1);
  unknown.interval.reset();
  const Propagated value = propagated("a[1]", {{"a", {unknown}}});
  EXPECT_EQ(value.intervals[0].low, 100);
  EXPECT_EQ(value.intervals[0].high, 100);
  ASSERT_EQ(value.influences.size(), 1U);
  EXPECT_FALSE(value.influences[0].known);
  EXPECT_NEAR(value.influences[0].effect, 5, 1e-9);
}

TEST(Uncertainty, TheSamePointsGiveTheSameIntervals) {
  const Curves curves = {{"a", {point("a", 1, 100, 7)}}};
  EXPECT_EQ(propagated("a[1]", curves).intervals[0].low,
            propagated("a[1]", curves).intervals[0].low);
}

}  // namespace
}  // namespace verbena::experiments
