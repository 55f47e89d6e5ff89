// Percentiles have intervals that hold the truth, or are left out.
#include "workloads/measure/percentile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "rdma/base/random.h"

namespace verbena::workloads {
namespace {

// Even from 0 to 100000 ns.
Histogram sample(std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  Histogram histogram;
  for (std::uint64_t i = 0; i < count; ++i) {
    histogram.record(Nanoseconds(random.below(100'000)));
  }
  return histogram;
}

std::optional<PercentileEstimate> estimate(const Histogram& values, double fraction,
                                           double inflation) {
  return estimate_percentile(values, fraction,
                             share_half_width(values.count(), fraction, inflation));
}

TEST(Percentile, HoldsTheTruthInNineteenOfTwentySamples) {
  for (const double fraction : {0.5, 0.9, 0.99}) {
    int held = 0;
    double width = 0;
    const double truth = fraction * 100'000;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      const auto range = estimate(sample(2000, seed), fraction, 1);
      ASSERT_TRUE(range);
      if (static_cast<double>(range->low) <= truth && truth <= static_cast<double>(range->high)) {
        ++held;
      }
      width += static_cast<double>(range->high - range->low) / 400;
    }
    EXPECT_GE(held, 370) << fraction;
    const double ideal = 2 * 1.96 * std::sqrt(fraction * (1 - fraction) / 2000) * 100'000;
    EXPECT_LT(width, 1.3 * ideal + truth / 16) << fraction << ": it need not be so wide";
  }
}

TEST(Percentile, IsLeftOutWhereTooFewValuesBoundIt) {
  EXPECT_FALSE(estimate({}, 0.5, 1));
  EXPECT_FALSE(estimate(sample(1000, 1), 0.999, 1));
  EXPECT_TRUE(estimate(sample(10'000, 1), 0.999, 1));
  EXPECT_FALSE(estimate(sample(10'000, 1), 0.999, 5)) << "neighbours are alike";
}

TEST(Percentile, IsWiderWhereTheMeanScattersMoreThanItsValues) {
  const Histogram values = sample(2000, 1);
  constexpr double kIndependent = 28868 / 44.72;  // the standard error of the mean
  EXPECT_NEAR(variance_inflation(values, {.mean = 50'000, .standard_error = kIndependent}), 1, 0.1);
  EXPECT_NEAR(variance_inflation(values, {.mean = 50'000, .standard_error = 3 * kIndependent}), 9,
              1);
  EXPECT_EQ(variance_inflation(values, {.mean = 50'000, .standard_error = 1}), 1);
  const double narrow = share_half_width(values.count(), 0.9, 1);
  EXPECT_NEAR(share_half_width(values.count(), 0.9, 9), 3 * narrow, 1e-9);
  EXPECT_NEAR(share_inflation(values.count(), 0.9, 3 * narrow), 9, 1e-9);
  EXPECT_EQ(share_inflation(values.count(), 0.9, narrow / 2), 1);
}

// Values within a bucket are not told apart.
TEST(Percentile, IsNeverKnownBetterThanABucketIsWide) {
  const Histogram values = sample(100'000, 1);
  const auto range = estimate_percentile(values, 0.5, 1e-9);
  ASSERT_TRUE(range);
  EXPECT_LE(range->low, range->value);
  EXPECT_GE(range->high, range->value);
  EXPECT_EQ(range->high - range->low + 1, 1024U);
}

TEST(MeanHalfWidth, IsThatOfIndependentValuesTimesTheRootOfTheInflation) {
  Histogram values;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = 20 + i % 2 * 20;  // exact buckets
    values.record(Nanoseconds(value));
    sum += static_cast<double>(value);
    squares += static_cast<double>(value * value);
  }
  const double expected = 1.96 * 10 / std::sqrt(999.0);
  EXPECT_NEAR(mean_half_width(values, 1).value(), expected, 1e-9);
  EXPECT_NEAR(mean_half_width(values, 4).value(), 2 * expected, 1e-9);
  EXPECT_NEAR(mean_half_width(1000, sum, squares, 4).value(), 2 * expected, 1e-9);
  EXPECT_FALSE(mean_half_width(1, 20, 400, 1));
}

}  // namespace
}  // namespace verbena::workloads
