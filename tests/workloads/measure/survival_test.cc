// Latencies of transactions that were in flight at the end, as part of their distribution.
#include "workloads/measure/survival.h"

#include <gtest/gtest.h>

#include <vector>

#include "rdma/base/random.h"

namespace verbena::workloads {
namespace {

Histogram of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(Nanoseconds(value));
  return histogram;
}

TEST(Survival, OfWhatHasEndedIsTheHistogramItself) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 1; i <= 1000; ++i) values.push_back(10 * i);
  const Histogram ended = of(values);
  const Survival survival(ended, {}, {});
  for (const double fraction : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto value = static_cast<double>(ended.percentile(fraction));
    EXPECT_NEAR(static_cast<double>(survival.percentile(fraction).value()), value, value / 32 + 1);
  }
}

TEST(Survival, KnowsNothingOfNothing) {
  EXPECT_FALSE(Survival().percentile(0.5));
  EXPECT_FALSE(Survival({}, of({5, 6}), {}).percentile(0.5));
}

// Kaplan and Meier by hand: of five, one ends at 1, one at 3; one was seen until 2, two until 4.
TEST(Survival, IsTheProductLimit) {
  const Survival survival(of({1, 3}), of({2, 4, 4}), {});
  EXPECT_EQ(survival.percentile(0.19), 1U);  // 1 - 4/5
  EXPECT_EQ(survival.percentile(0.46), 3U);  // 1 - 4/5 * 2/3 = 0.467
  EXPECT_FALSE(survival.percentile(0.48)) << "longer than anything that was seen";
}

TEST(Survival, KeepsThoseWhoWaitForATimeOut) {
  std::vector<std::uint64_t> quick(9000, 30);
  const std::vector<std::uint64_t> stuck(1000, 5000);
  const Survival survival(of(quick), of(stuck), {});
  EXPECT_EQ(survival.percentile(0.5), 30U);
  EXPECT_FALSE(survival.percentile(0.95)) << "a tenth has not ended";
}

// A closed loop in a steady state, seen for a short time: the latencies of those that end in it
// are right, and those that enter and leave it in flight must not change that.
TEST(Survival, OfASteadyStateIsThatOfTheLatencies) {
  Random random(5);
  Histogram ended;
  Histogram censored;
  Histogram entered;
  constexpr std::int64_t kFrom = 1000;
  constexpr std::int64_t kUntil = 1400;
  for (int loop = 0; loop < 2000; ++loop) {
    std::int64_t start = -static_cast<std::int64_t>(random.below(1000));
    while (start < kUntil) {
      const std::int64_t end =
          start + 20 + static_cast<std::int64_t>(random.below(8) == 0 ? random.below(600) : 20);
      const bool is_seen = end >= kFrom;
      if (is_seen && end < kUntil) ended.record(Nanoseconds(end - start));
      if (is_seen && end >= kUntil) censored.record(Nanoseconds(kUntil - start));
      if (is_seen && start < kFrom) entered.record(Nanoseconds(kFrom - start));
      start = end;
    }
  }
  const Survival survival(ended, censored, entered);
  // One in eight is even from 20 to 620: its half is at 320, and so on.
  EXPECT_NEAR(static_cast<double>(survival.percentile(0.9).value()), 140, 30);
  EXPECT_NEAR(static_cast<double>(survival.percentile(0.99).value()), 572, 40);
}

}  // namespace
}  // namespace verbena::workloads
