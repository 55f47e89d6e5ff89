// Changes that are found, and chance that is not taken for one.
#include "experiments/compare/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace verbena::experiments {
namespace {

SampledMean runs_of(std::mt19937_64& random, double mean) {
  std::normal_distribution<double> values(mean, 0.01 * mean);
  std::vector<double> runs(5);
  for (double& run : runs) run = values(random);
  return mean_of(runs);
}

// In how many of 2000 comparisons of five runs each, with a deviation of 1 %, something is found.
double found(double factor) {
  std::mt19937_64 random(3);
  int count = 0;
  for (int i = 0; i < 2000; ++i) {
    const SampledMean before = runs_of(random, 100);
    const Change change = relative_change(before, runs_of(random, 100 * factor));
    if (change.probability() < 0.05) ++count;
  }
  return count / 2000.0;
}

TEST(Change, IsFoundAmongEqualsOnceInTwentyTimes) { EXPECT_NEAR(found(1), 0.05, 0.015); }

TEST(Change, IsFoundWhereThereIsOne) { EXPECT_GT(found(0.96), 0.99); }

TEST(Change, HasTheIntervalThatBelongsToItsProbability) {
  const Change change = relative_change({.mean = 100, .standard_error = 1, .degrees_of_freedom = 8},
                                        {.mean = 97, .standard_error = 1, .degrees_of_freedom = 8});
  EXPECT_NEAR(change.by, std::log(0.97), 1e-12);
  EXPECT_NEAR(change.probability(change.by - change.half_width()), 0.05, 1e-6);
}

TEST(Change, OfWhatDoesNotVaryIsCertain) {
  const SampledMean ten{.mean = 10, .standard_error = 0, .degrees_of_freedom = 4};
  const SampledMean nine{.mean = 9, .standard_error = 0, .degrees_of_freedom = 4};
  EXPECT_EQ(relative_change(ten, ten).probability(), 1);
  EXPECT_EQ(relative_change(ten, nine).probability(), 0);
}

TEST(Significant, AsksMoreOfOneAmongMany) {
  EXPECT_EQ(significant({0.03}), std::vector<bool>{true});
  EXPECT_EQ(significant({0.03, 0.5, 0.9}), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(significant({0.5, 0.001, 0.03, 0.02}), (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(significant({0.04, 0.001, 0.01}), (std::vector<bool>{true, true, true}))
      << "what is left is asked less once others are known to differ";
}

}  // namespace
}  // namespace verbena::experiments
