// The histogram agrees with exact percentiles within its promised error, and merging loses nothing.
#include "rdma/base/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "rdma/base/random.h"

namespace verbena::txn {
namespace {

std::uint64_t exact_percentile(std::vector<std::uint64_t> values, double fraction) {
  std::sort(values.begin(), values.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(values.size())));
  return values[rank == 0 ? 0 : rank - 1];
}

RC_GTEST_PROP(Histogram, PercentilesAreAtMostOneThirtySecondOff, (std::uint64_t seed)) {
  Random random(seed);
  std::vector<std::uint64_t> values;
  Histogram histogram;
  const std::uint64_t count = 1 + random.below(2000);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value = random.next() >> (22 + random.below(42));
    values.push_back(value);
    histogram.record(Nanoseconds(value));
  }
  for (const double fraction : {0.0, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const std::uint64_t exact = exact_percentile(values, fraction);
    RC_ASSERT(histogram.percentile(fraction) >= exact - exact / 32);
    RC_ASSERT(histogram.percentile(fraction) <= exact + exact / 32);
  }
  RC_ASSERT(histogram.max() == *std::max_element(values.begin(), values.end()));
}

RC_GTEST_PROP(Histogram, MergingGivesTheHistogramOfAllValues,
              (const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b)) {
  Histogram first;
  Histogram second;
  Histogram all;
  for (const std::uint32_t value : a)
    first.record(Nanoseconds(value)), all.record(Nanoseconds(value));
  for (const std::uint32_t value : b)
    second.record(Nanoseconds(value)), all.record(Nanoseconds(value));
  first.merge(second);
  RC_ASSERT(first.count() == all.count());
  RC_ASSERT(first.mean() == all.mean());
  RC_ASSERT(first.max() == all.max());
  for (const double fraction : {0.1, 0.5, 0.99}) {
    RC_ASSERT(first.percentile(fraction) == all.percentile(fraction));
  }
}

TEST(Histogram, EmptyOneAnswersZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.percentile(0.5), 0U);
  EXPECT_EQ(histogram.mean(), 0.0);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (std::int64_t value = 0; value < 64; ++value) histogram.record(Nanoseconds(value));
  EXPECT_EQ(histogram.percentile(0.5), 31U);
  EXPECT_EQ(histogram.percentile(1.0), 63U);
}

TEST(Histogram, TakesNegativeAndHugeValues) {
  Histogram histogram;
  histogram.record(-5_ns);
  histogram.record(kNever);
  EXPECT_EQ(histogram.percentile(0.5), 0U);
  EXPECT_EQ(histogram.max(), static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_GT(histogram.percentile(1.0), std::uint64_t{1} << 41);
}

}  // namespace
}  // namespace verbena::txn
