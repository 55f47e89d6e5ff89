// Shares of latencies that vary over time, and percentiles whose intervals hold the truth.
#include "workloads/measure/latency_batches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "rdma/base/random.h"
#include "workloads/measure/latency_samples.h"
#include "workloads/measure/percentile.h"

namespace verbena::workloads {
namespace {

constexpr Nanoseconds kWindow = 24 * kMillisecond;
constexpr std::size_t kMost = 1 << 16;

struct Measured {
  Histogram values;
  LatencyBatches batches;
};

// Even from 0 to 100000 ns, and `slow` for a while now and then, for all alike: `busy` of a
// thousand intervals of time are so.
Measured sample(std::uint64_t seed, int count, std::uint64_t slow, std::uint64_t busy,
                std::size_t most = kMost) {
  Random random(seed);
  Measured measured;
  LatencySamples samples(most);
  constexpr int kIntervals = 1000;
  for (int interval = 0; interval < kIntervals; ++interval) {
    const std::uint64_t added = random.below(kIntervals) < busy ? slow : 0;
    for (int i = 0; i < count / kIntervals; ++i) {
      const auto latency = Nanoseconds(static_cast<std::int64_t>(added + random.below(100'000)));
      measured.values.record(latency);
      samples.record(kWindow / kIntervals * interval, latency);
    }
  }
  measured.batches.add(samples, 0, kWindow);
  return measured;
}

int held(double fraction, double truth, std::uint64_t slow, std::uint64_t busy,
         std::size_t most = kMost) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Measured measured = sample(seed, 4000, slow, busy, most);
    const auto half_width = measured.batches.share_half_width(fraction);
    const auto estimate = estimate_percentile(measured.values, fraction, half_width.value());
    if (!estimate) continue;
    held +=
        static_cast<double>(estimate->low) <= truth && truth <= static_cast<double>(estimate->high)
            ? 1
            : 0;
  }
  return held;
}

TEST(LatencyBatches, HoldTheTruthOfIndependentLatencies) {
  for (const double fraction : {0.5, 0.9, 0.99}) {
    EXPECT_GE(held(fraction, fraction * 100'000, 0, 0), 370) << fraction;
  }
}

// A tenth of the time all take longer than any does otherwise: the percentile 0.95 is their median.
// Their mean hardly tells how much that varies, since what does is who is slow at all.
TEST(LatencyBatches, HoldTheTruthWhereSlowOnesComeTogether) {
  EXPECT_GE(held(0.95, 550'000, 500'000, 100), 360);
  EXPECT_GE(held(0.5, 100'000 * 0.5 / 0.9, 500'000, 100), 360);
}

// An eighth of them is kept: fewer tell less, and intervals are no narrower for that.
TEST(LatencyBatches, HoldTheTruthWhereMostLatenciesWereThinnedOut) {
  EXPECT_GE(held(0.5, 50'000, 0, 0, 512), 370);
  EXPECT_GE(held(0.9, 90'000, 0, 0, 512), 370);
  EXPECT_GE(held(0.95, 550'000, 500'000, 100, 512), 360);
}

double mean_half_width_at_90(std::uint64_t slow, std::uint64_t busy) {
  constexpr int kSeeds = 40;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    sum += sample(seed, 4000, slow, busy).batches.share_half_width(0.9).value();
  }
  return sum / kSeeds;
}

// Four at a time are slow, so that a quarter as many count.
TEST(LatencyBatches, AreWiderWhereSlowOnesComeTogether) {
  const double independent = 1.96 * std::sqrt(0.09 / 4000);
  const double apart = mean_half_width_at_90(0, 0);
  EXPECT_GT(apart, independent);
  EXPECT_LT(apart, 2 * independent);
  EXPECT_GT(mean_half_width_at_90(500'000, 100), 1.7 * apart);
}

TEST(LatencyBatches, TellNothingWithoutLatencies) {
  LatencyBatches none;
  EXPECT_FALSE(none.share_half_width(0.5));
  none.add(LatencySamples(), 0, kWindow);
  EXPECT_FALSE(none.share_half_width(0.5));
}

TEST(LatencySamples, AreThinnedOutEvenly) {
  LatencySamples samples(8);
  for (std::int64_t i = 1; i <= 100; ++i) samples.record(Nanoseconds(i), Nanoseconds(2 * i));
  EXPECT_EQ(samples.stride(), 16U);
  ASSERT_EQ(samples.samples().size(), 6U);
  for (std::int64_t i = 0; i < 6; ++i) {
    const LatencySamples::Sample& sample = samples.samples()[static_cast<std::size_t>(i)];
    EXPECT_EQ(sample.at, Nanoseconds(16 * (i + 1)));
    EXPECT_EQ(sample.latency, Nanoseconds(32 * (i + 1)));
  }
  samples.begin_again();
  EXPECT_EQ(samples.stride(), 1U);
  EXPECT_TRUE(samples.samples().empty());
}

// Fewer of them tell less, and what they tell is true.
TEST(LatencySamples, ThatWereThinnedOutGiveWiderIntervals) {
  const double all = sample(1, 32'000, 0, 0).batches.share_half_width(0.9).value();
  const double few = sample(1, 32'000, 0, 0, 2000).batches.share_half_width(0.9).value();
  EXPECT_GT(few, 2 * all);
  EXPECT_LT(few, 8 * all);
}

}  // namespace
}  // namespace verbena::workloads
