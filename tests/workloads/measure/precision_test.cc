// Intervals hold the truth as often as they say, and what is not steady is told.
#include "workloads/measure/precision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "workloads/measure/steadiness.h"

namespace verbena::workloads {
namespace {

constexpr std::size_t kLength = 240;

// About normal, of mean 0 and variance 1.
double noise(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.below(1U << 20)) / (1U << 20);
  return sum;
}

// Each element keeps a share of what the one before differed from the mean by.
std::vector<double> autoregressive(double mean, double keeps, Random& random) {
  std::vector<double> series;
  double difference = 0;
  for (int i = 0; i < 50; ++i) difference = keeps * difference + noise(random);
  for (std::size_t i = 0; i < kLength; ++i) {
    difference = keeps * difference + noise(random);
    series.push_back(mean + difference);
  }
  return series;
}

// In how many of 1000 series, with so much noise of each element's own, the interval holds the true
// mean.
int held(double keeps, double own = 0, double lasting = 0) {
  constexpr double kMean = 50;
  const std::vector<double> ones(kLength, 1.0);
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Random random(seed);
    std::vector<double> series = autoregressive(kMean, keeps, random);
    for (double& element : series) element += own * noise(random);
    const auto estimate = estimate_quotient(series, ones, lasting);
    if (estimate && std::abs(estimate->mean - kMean) <= estimate->half_width) ++count;
  }
  return count;
}

TEST(Estimate, HoldsTheTruthInNineteenOfTwentyIndependentSeries) {
  EXPECT_GE(held(0), 940);
  EXPECT_LE(held(0), 990) << "not wider than it has to be";
}

TEST(Estimate, HoldsTheTruthWhereNeighboursAreAlike) {
  EXPECT_GE(held(0.5), 940);
  EXPECT_GE(held(0.9), 920);
}

// Each batch's own noise hides how long deviations last.
TEST(Estimate, HoldsTheTruthWhereItIsKnownHowLongDeviationsLast) {
  constexpr double kKept = 0.975;
  const double a_batch_later = std::pow(kKept, kLength / kBatches);
  EXPECT_LE(held(kKept, 8), 900);
  EXPECT_GE(held(kKept, 8, a_batch_later), 950);
  EXPECT_EQ(held(0.9, 0, 0.01), held(0.9)) << "batches show that they last longer";
}

TEST(Estimate, OfAQuotientIsThatOfTheSums) {
  // Twice as much above wherever there is twice as much below.
  std::vector<double> above;
  std::vector<double> below;
  for (std::size_t i = 0; i < kLength; ++i) {
    below.push_back(i % 7 == 0 ? 0 : 1 + static_cast<double>(i % 2));
    above.push_back(3 * below.back());
  }
  const auto estimate = estimate_quotient(above, below);
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->mean, 3);
  EXPECT_NEAR(estimate->half_width, 0, 1e-9);
}

TEST(Estimate, IsNoneOfTooLittle) {
  const std::vector<double> few(kBatches - 1, 1.0);
  EXPECT_FALSE(estimate_quotient(few, few));
  const std::vector<double> zeros(kLength, 0.0);
  EXPECT_FALSE(estimate_quotient(zeros, zeros));
}

TEST(Transient, IsWhereTheBeginningEnds) {
  int near = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    std::vector<double> series = autoregressive(50, 0, random);
    for (std::size_t i = 0; i < 40; ++i) series[i] -= static_cast<double>(40 - i);
    const std::size_t end = transient_of(series);
    near += end >= 30 && end <= 60 ? 1 : 0;
  }
  EXPECT_GE(near, 90);
}

TEST(Transient, OfWhatGrowsAllTheTimeIsHalf) {
  std::vector<double> series;
  for (std::size_t i = 0; i < kLength; ++i) series.push_back(static_cast<double>(i));
  EXPECT_EQ(transient_of(series), kLength / 2);
  EXPECT_EQ(transient_of({}), 0U);
}

// How often in 1000 windows the intervals of throughput, mean latency and aborts hold the true
// means. In each interval there are 80 to 120 commits, of 900 to 1100 ns each, and 0 to 10 aborts.
struct Held {
  int throughput = 0;
  int latency = 0;
  int aborts = 0;
};

Held held_of_all_means() {
  constexpr double kAborts = 5;
  constexpr double kCommits = 100;
  const auto holds = [](const std::optional<JudgedMean>& mean, double truth) {
    return mean && std::abs(mean->estimate.mean - truth) <= mean->estimate.half_width ? 1 : 0;
  };
  Held held;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Random random(seed);
    IntervalSeries series(0_ns, Nanoseconds(kLength * 1000));
    for (std::size_t i = 0; i < kLength; ++i) {
      const auto at = Nanoseconds(i * 1000);
      for (std::uint64_t k = 80 + random.below(41); k > 0; --k) {
        series.commit(at, Nanoseconds(900 + random.below(201)));
      }
      for (std::uint64_t k = random.below(11); k > 0; --k) series.abort(at);
    }
    const Precision precision = precision_of(series);
    held.throughput += holds(precision.throughput_per_s, kCommits * 1e6);
    held.latency += holds(precision.mean_latency_ns, 1000);
    held.aborts += holds(precision.abort_share, kAborts / (kAborts + kCommits));
  }
  return held;
}

// One that is half as wide as it should be holds some 740 times.
TEST(Precision, HoldsTheTruthInNineteenOfTwentyRuns) {
  const Held held = held_of_all_means();
  for (const int times : {held.throughput, held.latency, held.aborts}) {
    EXPECT_GE(times, 930);
    EXPECT_LE(times, 990) << "not wider than it has to be";
  }
}

// A window of `length` us in which `rate` says how many commits there are in each.
IntervalSeries run_of(const std::function<double(std::size_t)>& rate, std::uint64_t seed,
                      std::size_t length) {
  IntervalSeries series(0_ns, Nanoseconds(length * 1000));
  Random random(seed);
  for (std::size_t i = 0; i < length; ++i) {
    const auto at = Nanoseconds(i * 1000);
    const auto commits = static_cast<int>(std::lround(rate(i) + 3 * noise(random)));
    for (int k = 0; k < commits; ++k) series.commit(at, Nanoseconds(900 + random.below(200)));
    if (i % 2 == 0) series.abort(at);
  }
  return series;
}

Precision precision_where(const std::function<double(std::size_t)>& rate, std::uint64_t seed = 1,
                          std::size_t length = kLength) {
  return precision_of(run_of(rate, seed, length));
}

constexpr double usual(std::size_t /*interval*/) { return 100; }

TEST(Precision, OfASteadyRunTellsItsMeans) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Precision precision = precision_where(usual, seed);
    ASSERT_TRUE(precision.throughput_per_s && precision.mean_latency_ns && precision.abort_share);
    EXPECT_NEAR(precision.throughput_per_s->estimate.mean, 100e6, 1e6);
    EXPECT_LT(precision.throughput_per_s->estimate.half_width, 1e6);
    EXPECT_NEAR(precision.mean_latency_ns->estimate.mean, 1000, 3);
    EXPECT_NEAR(precision.abort_share->estimate.mean, 0.5 / 100.5, 1e-4);
    EXPECT_EQ(precision.stalled, 0_ns);
    alarms += precision.throughput_per_s->course == Course::kSteady &&
                      precision.mean_latency_ns->course == Course::kSteady
                  ? 0
                  : 1;
  }
  EXPECT_LE(alarms, 6);
}

TEST(Precision, OfClockworkIsExact) {
  for (const int each : {1, 2, 10}) {
    IntervalSeries series(0_ns, Nanoseconds(8333 * 240));
    for (std::int64_t i = 0; i < 240 * each; ++i) {
      series.commit(Nanoseconds(i / each * 8333), 7777_ns);
    }
    const Precision precision = precision_of(series);
    ASSERT_TRUE(precision.throughput_per_s && precision.mean_latency_ns);
    EXPECT_EQ(precision.throughput_per_s->course, Course::kSteady) << each;
    EXPECT_EQ(precision.mean_latency_ns->course, Course::kSteady) << each;
    EXPECT_EQ(precision.throughput_per_s->estimate.half_width, 0);
  }
}

TEST(Precision, TellsHowLongABeginningIs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto throughput =
        precision_where([](std::size_t i) { return i < 30 ? 60 : 100; }, seed).throughput_per_s;
    EXPECT_EQ(throughput->course, Course::kBeginning);
    EXPECT_GE(throughput->beginning, 30 * kMicrosecond);
    EXPECT_LT(throughput->beginning, 120 * kMicrosecond);
  }
}

// The same beginning of 30 us, and 16 times as much after it.
TEST(Precision, DoesNotTakeChanceInALongSeriesForABeginning) {
  constexpr std::size_t kLonger = 16;
  int beginnings = 0;
  Nanoseconds sum = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto throughput =
        precision_where([](std::size_t i) { return i < 30 ? 60 : 100; }, seed, kLonger * kLength)
            .throughput_per_s;
    if (throughput->course != Course::kBeginning) continue;
    ++beginnings;
    sum += throughput->beginning;
  }
  ASSERT_GE(beginnings, 5);
  EXPECT_LT(sum, 150 * kMicrosecond * beginnings);
}

TEST(Precision, SeesThatTheRestStillRises) {
  int rises = 0;
  int falls = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // As slow later as it is fast at first.
    const auto slower = [](std::size_t i) {
      return 100 - 40 / std::sqrt(1 + static_cast<double>(i) / 5);
    };
    const auto throughput = precision_where(slower, seed, 4 * kLength).throughput_per_s;
    rises += throughput->drift == Drift::kRises ? 1 : 0;
    falls += throughput->drift == Drift::kFalls ? 1 : 0;
  }
  EXPECT_GE(rises, 5);
  EXPECT_EQ(falls, 0);
}

TEST(Precision, DoesNotTakeAHiccupForABeginning) {
  for (const std::size_t at : {60U, 90U, 150U, 200U}) {
    const Precision precision =
        precision_where([&](std::size_t i) { return i / 20 == at / 20 ? 0.0 : 100.0; });
    EXPECT_NE(precision.throughput_per_s->course, Course::kBeginning) << at;
    EXPECT_GE(precision.stalled, 16 * kMicrosecond) << at;
    EXPECT_LE(precision.stalled, 20 * kMicrosecond) << at;
  }
}

TEST(Precision, TellsBurstsFromOutages) {
  // A burst of 8 intervals in each 40.
  const Precision bursts =
      precision_where([](std::size_t i) { return i % 40 < 32 ? 10.0 : 460.0; });
  EXPECT_EQ(bursts.bursts.count, 6U);
  EXPECT_NEAR(bursts.bursts.height, 4.6, 0.3);
  EXPECT_GT(bursts.bursts.lasting, bursts.bursts.time / 8);
  EXPECT_LT(bursts.bursts.lasting, bursts.bursts.time / 3);

  const Precision outages =
      precision_where([](std::size_t i) { return i % 120 < 80 ? 0.0 : 300.0; });
  EXPECT_EQ(outages.bursts.count, 0U) << "two times are no rhythm";
  EXPECT_GT(outages.stalled, 0_ns);
  EXPECT_EQ(precision_where(usual).bursts.count, 0U);
}

TEST(Precision, SeesAnOutageWhereverItIs) {
  for (const std::size_t from : {100U, 180U, 228U}) {
    const Precision precision =
        precision_where([&](std::size_t i) { return i < from ? 100.0 : 0.0; });
    const bool seen =
        precision.stalled > 0 || precision.throughput_per_s->course == Course::kChanging;
    EXPECT_TRUE(seen) << from;
    EXPECT_NE(precision.throughput_per_s->course, Course::kBeginning)
        << from << ": what worked is not to be left out";
  }
}

TEST(Precision, HasNoRemedyForATrend) {
  const auto growing = [](std::size_t i) { return 50 + static_cast<double>(i) / 2; };
  EXPECT_EQ(precision_where(growing).throughput_per_s->course, Course::kChanging);
}

TEST(Precision, TellsWhichWayATrendGoes) {
  const auto at = [](std::size_t i) { return static_cast<double>(i); };
  const auto drift = [&](const std::function<double(std::size_t)>& rate) {
    return precision_where(rate).throughput_per_s->drift;
  };
  EXPECT_EQ(drift([&](std::size_t i) { return 50 + at(i) / 2; }), Drift::kRises);
  EXPECT_EQ(drift([&](std::size_t i) { return 170 - at(i) / 2; }), Drift::kFalls);
  EXPECT_EQ(drift([&](std::size_t i) { return 100 + 20 * std::sin(at(i) / 30); }), Drift::kSwings);
  EXPECT_EQ(drift(usual), Drift::kNone);
}

TEST(Precision, IsNotTakenFromAFewCommits) {
  IntervalSeries series(0_ns, 240_ns);
  for (int i = 0; i < 40; ++i) series.commit(Nanoseconds(6 * i), 5_ns);
  for (int i = 0; i < 200; ++i) series.abort(Nanoseconds(i));
  const Precision precision = precision_of(series);
  EXPECT_FALSE(precision.throughput_per_s);
  EXPECT_FALSE(precision.mean_latency_ns);
  EXPECT_NEAR(precision.abort_share->estimate.mean, 200.0 / 240, 1e-9)
      << "of aborts there are many";
}

}  // namespace
}  // namespace verbena::workloads
