// An open loop's transactions come at the rate that was asked for, evenly or by chance.
#include "workloads/run/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>

namespace verbena::workloads {
namespace {

constexpr double kPerSecond = 300'000;  // every 3333.3 ns

TEST(Arrivals, AreEvenlySpacedWithoutLosingFractions) {
  Arrivals arrivals(1000_ns, kPerSecond, false, Random(1));
  const Nanoseconds first = arrivals.take();
  EXPECT_GE(first, 1000_ns);
  EXPECT_LT(first, 4334_ns);
  for (int i = 1; i < 300'000; ++i) arrivals.take();
  EXPECT_NEAR(static_cast<double>((arrivals.next() - first).count()), 1e9, 2);
}

TEST(Arrivals, OfAPoissonProcessHaveItsMeanAndItsScatter) {
  Arrivals arrivals(0_ns, kPerSecond, true, Random(7));
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 100'000;
  Nanoseconds last = 0;
  for (int i = 0; i < kCount; ++i) {
    const Nanoseconds due = arrivals.take();
    const auto interval = static_cast<double>((due - last).count());
    sum += interval;
    squares += interval * interval;
    last = due;
  }
  const double mean = sum / kCount;
  EXPECT_NEAR(mean, 1e9 / kPerSecond, 40);
  EXPECT_NEAR(std::sqrt(squares / kCount - mean * mean) / mean, 1, 0.02);
}

TEST(Arrivals, OfTwoWorkersAreNotInStep) {
  Arrivals one(0_ns, kPerSecond, false, Random(1));
  Arrivals other(0_ns, kPerSecond, false, Random(2));
  EXPECT_NE(one.next(), other.next());
  const Nanoseconds seen = one.next();
  EXPECT_EQ(one.take(), seen) << "looking takes none";
}

}  // namespace
}  // namespace verbena::workloads
