// Shares of latencies that vary over time, and percentiles whose intervals hold the truth.
#include "workloads/measure/latency_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

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

bool holds(const std::optional<PercentileEstimate>& estimate, double truth) {
  return estimate && static_cast<double>(estimate->low.value()) <= truth &&
         (!estimate->high || truth <= static_cast<double>(*estimate->high));
}

int held(double fraction, double truth, std::uint64_t slow, std::uint64_t busy,
         std::size_t most = kMost) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Measured measured = sample(seed, 4000, slow, busy, most);
    const std::vector<double> widths = measured.batches.share_half_widths(0);
    held += holds(estimate_percentile(measured.values, fraction, widths), truth) ? 1 : 0;
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

// Latencies of one over an even share, the same for `together` neighbours.
Measured long_tail(std::uint64_t seed, int count, int together) {
  Measured measured;
  LatencySamples samples(kMost);
  for (int i = 0; i < count; ++i) {
    const auto rank = static_cast<double>(
        mix64(seed << 20 | static_cast<std::uint64_t>(i / together)) % 1'000'000);
    const auto latency = Nanoseconds(std::llround(1000 / ((rank + 0.5) / 1e6)));
    measured.values.record(latency);
    samples.record(kWindow / count * i, latency);
  }
  measured.batches.add(samples, 0, kWindow);
  return measured;
}

// As many independent ones would just bound the percentile.
TEST(LatencyBatches, LeaveIntervalsOpenThatTheyDoNotBound) {
  for (const auto& [fraction, count] : {std::pair(0.99, 384), {0.999, 3840}}) {
    int held = 0;
    int open = 0;
    constexpr int kSeeds = 200;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Measured measured = long_tail(seed, count, 2);
      const auto estimate =
          estimate_percentile(measured.values, fraction, measured.batches.share_half_widths(0));
      held += holds(estimate, 1000 / (1 - fraction)) ? 1 : 0;
      open += estimate->high ? 0 : 1;
    }
    EXPECT_GE(held, kSeeds * 18 / 20) << fraction;
    EXPECT_GE(open, kSeeds / 2) << fraction;
  }
  const Measured enough = long_tail(1, 20'000, 1);
  EXPECT_TRUE(estimate_percentile(enough.values, 0.999, enough.batches.share_half_widths(0))->high);
}

double half_width_at_90(const Measured& measured) {
  const auto p90 = Nanoseconds(static_cast<std::int64_t>(measured.values.percentile(0.9)));
  return measured.batches.share_half_widths(0).at(Histogram::bucket_of(p90));
}

double mean_half_width_at_90(std::uint64_t slow, std::uint64_t busy) {
  constexpr int kSeeds = 40;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    sum += half_width_at_90(sample(seed, 4000, slow, busy));
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

double proven_inflation(const Measured& measured, double fraction) {
  const auto value = Nanoseconds(static_cast<std::int64_t>(measured.values.percentile(fraction)));
  return measured.batches.proven_inflation(Histogram::bucket_of(value));
}

TEST(LatencyBatches, ProveNoInflationOfIndependentLatencies) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Measured measured = sample(seed, 4000, 0, 0);
    EXPECT_LT(proven_inflation(measured, 0.5), 1.2) << seed;
    EXPECT_LT(proven_inflation(measured, 0.99), 1.2) << seed;
  }
}

// One of 16 is kept, which stands for all.
TEST(LatencyBatches, ProveNoInflationByThinningOut) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Measured measured = sample(seed, 4000, 0, 0, 256);
    EXPECT_LT(proven_inflation(measured, 0.5), 2) << seed;
    EXPECT_LT(proven_inflation(measured, 0.99), 2) << seed;
  }
}

// Four at a time are slow; more than half of that inflation may be chance.
TEST(LatencyBatches, ProveSomeInflationWhereSlowOnesComeTogether) {
  constexpr int kSeeds = 40;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    sum += proven_inflation(sample(seed, 4000, 500'000, 100), 0.89);
  }
  EXPECT_NEAR(sum / kSeeds, 4 / 2.43, 0.5);
}

TEST(LatencyBatches, ProveNoInflationWhereLatenciesAreAllAlike) {
  LatencySamples samples(1000);
  for (int i = 0; i < 1000; ++i) samples.record(kWindow / 1000 * i, 2700_ns);
  LatencyBatches batches;
  batches.add(samples, 0, kWindow);
  EXPECT_EQ(batches.proven_inflation(Histogram::bucket_of(2700_ns)), 1);
  EXPECT_EQ(LatencyBatches().proven_inflation(0), 1);
}

TEST(LatencyBatches, TellNothingWithoutLatencies) {
  LatencyBatches none;
  EXPECT_TRUE(none.share_half_widths(0).empty());
  none.add(LatencySamples(), 0, kWindow);
  EXPECT_TRUE(none.share_half_widths(0).empty());
}

/// A slot of a closed loop of transactions.
struct Slot {
  double began_ns = 0;
  double ends_ns = 0;
  bool lasts = false;  ///< its transaction is one of the few that starve
};

/// Transactions of which a few hold a fifth of the slots, each for 6 ms on average; the others are
/// the faster the more of the slots are so held. Long ones end before their measured time begins.
class Starving {
 public:
  Starving(std::uint64_t seed, std::uint64_t windows)
      : random_(seed), from_ns_(2 * kWindowNs), until_ns_(from_ns_ + kWindowNs * windows) {}

  struct Result {
    Measured measured;
    Histogram in_flight;
  };

  Result run() {
    LatencySamples samples(std::size_t{1} << 18);
    Result result;
    for (Slot* next = first(); next->ends_ns < until_ns_; next = first()) {
      if (next->ends_ns >= from_ns_) {
        const auto latency = Nanoseconds(std::llround(next->ends_ns - next->began_ns));
        result.measured.values.record(latency);
        samples.record(Nanoseconds(std::llround(next->ends_ns - from_ns_)), latency);
      }
      begin(*next);
    }
    for (const Slot& slot : slots_) {
      result.in_flight.record(Nanoseconds(std::llround(until_ns_ - slot.began_ns)));
    }
    result.measured.batches.add(samples, 0, kWindow);
    return result;
  }

 private:
  static constexpr double kWindowNs = 24e6;
  static constexpr double kLastingNs = 6e6;
  static constexpr double kShortNs = 1e5;

  double even() { return static_cast<double>(random_.below(1'000'000) + 1) / 1'000'001; }

  Slot* first() { return &*std::ranges::min_element(slots_, {}, &Slot::ends_ns); }

  // As many begin to starve as hold a fifth of the slots.
  void begin(Slot& slot) {
    if (slot.lasts) --lasting_;
    slot.lasts = even() < 0.2 * kShortNs / 2 / kLastingNs;
    if (slot.lasts) ++lasting_;
    slot.began_ns = slot.ends_ns;
    const double free = 1 - static_cast<double>(lasting_) / static_cast<double>(slots_.size());
    slot.ends_ns += slot.lasts ? -kLastingNs * std::log(even()) : kShortNs * free * even();
  }

  Random random_;
  double from_ns_;
  double until_ns_;
  std::array<Slot, 16> slots_{};
  int lasting_ = 0;
};

// They are a quarter of the measured time long, so that batches alone hardly see them come and go.
TEST(LatencyBatches, HoldTheTruthWhereFewTransactionsLastForLong) {
  const Histogram truth = Starving(1'000'000, 400).run().measured.values;
  constexpr int kSeeds = 200;
  for (const double fraction : {0.5, 0.9}) {
    const auto value = static_cast<double>(truth.percentile(fraction));
    int held = 0;
    double width = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const auto [measured, in_flight] = Starving(seed, 1).run();
      const double lasting = lasting_share(measured.values, in_flight, to_seconds(kWindow));
      const auto estimate = estimate_percentile(measured.values, fraction,
                                                measured.batches.share_half_widths(lasting));
      held += holds(estimate, value) ? 1 : 0;
      ASSERT_TRUE(estimate && estimate->high);
      width += static_cast<double>(*estimate->high - *estimate->low) / 2 / kSeeds;
    }
    EXPECT_GE(held, kSeeds * 92 / 100) << fraction;
    EXPECT_LT(width, 0.4 * value) << fraction << ": it need not be so wide";
  }
}

TEST(LastingShare, IsOfWhatIsInFlightAndNotOfWhatEnds) {
  Histogram latencies;
  EXPECT_EQ(lasting_share(latencies, {}, 0.024), 0);
  for (int i = 0; i < 1000; ++i) latencies.record(10 * kMicrosecond);
  EXPECT_LT(lasting_share(latencies, {}, 0.024), 1e-6) << "a batch is 1 ms long";
  // Ten of 10 ms go on for up to 10 ms, others for 10 us.
  for (int i = 0; i < 10; ++i) latencies.record(10 * kMillisecond);
  EXPECT_NEAR(lasting_share(latencies, {}, 0.024), std::exp(-1 / (10.0 / 3)), 0.01);
  Histogram in_flight;
  for (int i = 0; i < 100; ++i) in_flight.record(20 * kMillisecond);
  EXPECT_GT(lasting_share(latencies, in_flight, 0.024), 0.85) << "nor had these ended";
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
  const double all = half_width_at_90(sample(1, 32'000, 0, 0));
  const double few = half_width_at_90(sample(1, 32'000, 0, 0, 2000));
  EXPECT_GT(few, 2 * all);
  EXPECT_LT(few, 8 * all);
}

}  // namespace
}  // namespace verbena::workloads
