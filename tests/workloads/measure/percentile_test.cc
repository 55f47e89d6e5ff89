// Percentiles have intervals that hold the truth, or are left out.
#include "workloads/measure/percentile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

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
      if (static_cast<double>(range->low.value()) <= truth &&
          truth <= static_cast<double>(range->high.value())) {
        ++held;
      }
      width += static_cast<double>(range->high.value() - range->low.value()) / 400;
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

// Five values lie on one side of a median in one of 16 cases, six in one of 32.
TEST(Percentile, IsLeftOutWhereAllValuesMayLieOnOneSideOfIt) {
  EXPECT_FALSE(estimate(sample(4, 1), 0.5, 1));
  EXPECT_FALSE(estimate(sample(5, 1), 0.5, 1));
  EXPECT_TRUE(estimate(sample(6, 1), 0.5, 1));
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
  EXPECT_LE(range->low.value(), range->value);
  EXPECT_GE(range->high.value(), range->value);
  EXPECT_EQ(range->high.value() - range->low.value() + 1, 1024U);
}

// Buckets there are 2048 ns wide.
TEST(Percentile, HasEndsWithinBuckets) {
  Histogram values;
  for (int i = 0; i < 200'000; ++i) values.record(Nanoseconds(i));
  const auto range = estimate_percentile(values, 0.5, 0.05).value();
  EXPECT_NEAR(static_cast<double>(range.low.value()), 90'000, 50);
  EXPECT_NEAR(static_cast<double>(range.high.value()), 110'000, 50);
}

// Widths of shares up to the end of each bucket.
std::vector<double> widths(double all) { return std::vector(Histogram::kBuckets, all); }

TEST(Percentile, HasTheSameEndsWhereSharesAreKnownAlikeEverywhere) {
  const Histogram values = sample(10'000, 1);
  const auto expected = estimate_percentile(values, 0.9, 0.03).value();
  const auto estimate = estimate_percentile(values, 0.9, widths(0.03)).value();
  EXPECT_EQ(estimate.value, expected.value);
  EXPECT_NEAR(static_cast<double>(estimate.low.value()), static_cast<double>(expected.low.value()),
              20);
  EXPECT_NEAR(static_cast<double>(estimate.high.value()),
              static_cast<double>(expected.high.value()), 20);
  const auto independent = estimate_percentile(values, 0.9, widths(0)).value();
  const double least = share_half_width(values.count(), 0.9, 1);
  EXPECT_NEAR(static_cast<double>(independent.high.value()),
              static_cast<double>(estimate_percentile(values, 0.9, least)->high.value()), 20)
      << "no less than that";
  EXPECT_FALSE(estimate_percentile(sample(1000, 1), 0.999, widths(0)));
  EXPECT_FALSE(estimate_percentile({}, 0.5, widths(0)));
}

// Few take a hundred times as long as all others, and how many do varies little.
TEST(Percentile, EndsAtAGapThatTheShareBeforeIsKnownNotToCross) {
  Histogram values = sample(9'300, 1);
  for (int i = 0; i < 700; ++i) values.record(10'000'000_ns);
  std::vector<double> half_widths = widths(0.004);
  for (std::size_t i = 0; i < Histogram::bucket_of(99'000_ns); ++i) half_widths[i] = 0.05;
  EXPECT_GT(estimate_percentile(values, 0.9, 0.05)->high.value(), 9'000'000U);
  const auto estimate = estimate_percentile(values, 0.9, half_widths).value();
  EXPECT_LT(estimate.high.value(), 115'000U) << "the end of what is near";
  EXPECT_LT(estimate.low.value(), 92'000U);
}

// Few batches may have the same share by chance.
TEST(Percentile, TakesNoWidthNearItForLessThanItsOwn) {
  const Histogram values = sample(100'000, 1);
  const auto median = Nanoseconds(static_cast<std::int64_t>(values.percentile(0.5)));
  std::vector<double> half_widths = widths(0.001);
  half_widths[Histogram::bucket_of(median)] = 0.04;
  const auto estimate = estimate_percentile(values, 0.5, half_widths).value();
  EXPECT_GE(estimate.high.value(), 53'900U);
  EXPECT_LE(estimate.low.value(), 46'100U);
  half_widths[Histogram::bucket_of(median)] = 0.3;
  EXPECT_LT(estimate_percentile(values, 0.5, half_widths)->high.value(), 60'000U)
      << "as far as it is near";
  half_widths.assign(half_widths.size(), 0.001);
  EXPECT_LT(estimate_percentile(values, 0.5, half_widths)->high.value(), 52'000U);
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
