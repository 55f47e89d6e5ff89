// Means of several runs, and what chance does to them.
#include "experiments/points/runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace verbena::experiments {
namespace {

TEST(Student, HasTheQuantilesOfTheTables) {
  EXPECT_NEAR(student_95(1), 12.706, 1e-3);
  EXPECT_NEAR(student_95(2), 4.303, 1e-3);
  EXPECT_NEAR(student_95(10), 2.228, 1e-3);
  EXPECT_NEAR(student_95(1000), 1.962, 1e-3);
}

TEST(Student, HasTheProbabilitiesThatBelongToThem) {
  EXPECT_NEAR(student_two_sided(0, 5), 1, 1e-12);
  EXPECT_NEAR(student_two_sided(2.571, 5), 0.05, 1e-4);
  EXPECT_NEAR(student_two_sided(-4.032, 5), 0.01, 1e-4);
  EXPECT_LT(student_two_sided(50, 20), 1e-15);
}

TEST(MeanOfRuns, HasAnIntervalThatHoldsTheTruthInNineteenOfTwenty) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> values(10, 3);
  int held = 0;
  constexpr int kRepetitions = 4000;
  for (int i = 0; i < kRepetitions; ++i) {
    std::vector<double> runs(4);
    for (double& run : runs) run = values(random);
    const SampledMean mean = mean_of(runs);
    if (std::abs(mean.mean - 10) <= mean.half_width()) ++held;
  }
  EXPECT_NEAR(static_cast<double>(held) / kRepetitions, 0.95, 0.015);
}

TEST(SampledQuantity, OfOneRunIsWhatTheRunTells) {
  PointResult run;
  run.throughput_per_s = 5e6;
  run.throughput_interval = {.half_width = 1e5, .degrees_of_freedom = 23};
  const auto throughput = sampled({&run}, "throughput");
  ASSERT_TRUE(throughput);
  EXPECT_DOUBLE_EQ(throughput->mean, 5);
  EXPECT_NEAR(throughput->half_width(), 0.1, 1e-9);
  EXPECT_FALSE(sampled({&run}, "p50")) << "a single run tells nothing about percentiles";
  run.throughput_interval.reset();
  EXPECT_FALSE(sampled({&run}, "throughput"));
}

TEST(SampledQuantity, OfSeveralRunsFollowsFromHowTheyDiffer) {
  PointResult first;
  PointResult second;
  first.p50_us = 10;
  second.p50_us = 12;
  const auto median = sampled({&first, &second}, "p50");
  ASSERT_TRUE(median);
  EXPECT_DOUBLE_EQ(median->mean, 11);
  EXPECT_NEAR(median->half_width(), 12.706, 1e-3);
}

}  // namespace
}  // namespace verbena::experiments
