// Percentiles that are shown, and those that are withheld.
#include "experiments/report/result/shown_percentiles.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "rdma/base/random.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/latency_samples.h"
#include "workloads/measure/precision.h"

namespace verbena::experiments {
namespace {

constexpr Nanoseconds kShort = 1 * kMicrosecond;
constexpr Nanoseconds kLong = 10 * kMicrosecond;
constexpr Nanoseconds kLongest = 100 * kMicrosecond;

// So many long and longest latencies in each of the batches, of 10000.
Measurement measured(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& batches) {
  Measurement measurement;
  measurement.seconds = 1;
  measurement.precision.mean_latency_ns.emplace();
  std::vector<workloads::LatencyBatches::Counts> counts(batches.size());
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const auto [many, most] = batches[b];
    for (const auto& [latency, count] :
         {std::pair(kShort, 10'000 - many - most), {kLong, many}, {kLongest, most}}) {
      counts[b][Histogram::bucket_of(latency)] = static_cast<double>(count);
      for (std::uint64_t i = 0; i < count; ++i) measurement.latency.record(latency);
    }
  }
  measurement.latency_batches =
      workloads::LatencyBatches(std::move(counts), static_cast<double>(10'000 * batches.size()));
  return measurement;
}

std::vector<bool> shown(const Measurement& measurement) {
  std::vector<bool> shown;
  shown.reserve(kShownPercentiles.size());
  for (const ShownPercentile& each : kShownPercentiles) {
    shown.push_back(percentile_of(measurement, each).has_value());
  }
  return shown;
}

TEST(ShownPercentiles, AreAllShownOfBatchesThatAreAlike) {
  EXPECT_EQ(shown(measured({workloads::kBatches, {200, 20}})), std::vector<bool>(4, true));
}

TEST(ShownPercentiles, BeyondOneThatIsWithheldAreWithheldToo) {
  // Up to the longest ones no batch differs from the others, so that nothing tells how they vary.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> batches(workloads::kBatches, {200, 0});
  batches[5] = {200, 2000};
  EXPECT_EQ(shown(measured(batches)), (std::vector<bool>{true, true, false, false}));
}

// The same times are shown where the latencies are; no end of an interval is beyond all of them.
TEST(ShownPercentiles, OfTimesAreShownWhereThoseOfLatenciesAre) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> batches(workloads::kBatches, {200, 20});
  batches[5] = {900, 20};
  Measurement measurement = measured(batches);
  measurement.seconds = 1e-4;
  for (const ShownPercentile& each : kShownPercentiles) {
    const auto latency = percentile_of(measurement, each);
    const auto times = percentile_of(measurement.latency, each, measurement);
    ASSERT_EQ(latency.has_value(), times.has_value()) << each.name;
    if (!times) continue;
    EXPECT_EQ(times->value, latency->value) << each.name;
    if (times->high) {
      EXPECT_LE(*times->high, Histogram::highest_of(Histogram::bucket_of(kLongest))) << each.name;
    }
  }
  EXPECT_TRUE(percentile_of(measurement, kShownPercentiles[2]));
}

/// Operations, one a microsecond on average, of which some end together.
struct Stream {
  const char* name;
  std::function<std::int64_t(std::int64_t, Random&)> latency_ns;  ///< of the n-th
  std::int64_t together = 1;
};

std::int64_t even(std::int64_t /*n*/, Random& random) {
  return static_cast<std::int64_t>(1000 + random.below(100'000));
}

// Rounds of 16, each of slow or of fast ones: as of a cluster all of whose loops wait for one
// another.
std::int64_t fast_or_slow(std::int64_t n, Random& /*random*/) { return n / 16 % 3 ? 2700 : 3900; }

std::vector<Stream> stationary_streams() {
  return {{"alike", [](std::int64_t, Random&) { return 2700; }},
          {"in turn", [](std::int64_t n, Random&) { return n % 2 == 0 ? 2700 : 2900; }},
          {"cycle of 7", [](std::int64_t n, Random&) { return 1000 + n % 7 * 1000; }},
          {"cycle of 50", [](std::int64_t n, Random&) { return 1000 + n % 50 * 1000; }},
          {"few slow", [](std::int64_t n, Random&) { return n % 20 == 7 ? 9000 : 1000; }},
          {"random", even},
          {"random, of two", [](std::int64_t, Random& r) { return r.below(2) == 0 ? 27 : 2900; }},
          {"random rounds", even, 16},
          {"rounds", fast_or_slow, 16}};
}

// Measurement of the first `count` operations, of which it keeps `most` samples.
Measurement first_of(const Stream& stream, std::int64_t count, std::size_t most = 8192) {
  Random random(1);
  Measurement measurement;
  const Nanoseconds until = count * kMicrosecond;
  workloads::IntervalSeries series(0_ns, until);
  workloads::LatencySamples samples(most);
  for (std::int64_t n = 0; n < count; ++n) {
    const Nanoseconds at = n / stream.together * stream.together * kMicrosecond;
    const auto latency = Nanoseconds(stream.latency_ns(n, random));
    measurement.latency.record(latency);
    series.commit(at, latency);
    samples.record(at, latency);
  }
  measurement.seconds = to_seconds(until);
  measurement.precision = workloads::precision_of(series);
  measurement.latency_batches.add(samples, 0_ns, until);
  return measurement;
}

void expect_to_stay_shown(std::size_t most) {
  for (const Stream& stream : stationary_streams()) {
    std::vector<bool> before = {false, false, false, false};
    for (std::int64_t count = 8; count <= 5000; count += 1 + count / 20) {
      const std::vector<bool> now = shown(first_of(stream, count, most));
      for (std::size_t i = 0; i < now.size(); ++i) {
        EXPECT_TRUE(now[i] || !before[i])
            << stream.name << ", " << kShownPercentiles[i].name << ": not of " << count;
      }
      before = now;
    }
    EXPECT_EQ(before, std::vector<bool>(4, true)) << stream.name;
  }
}

TEST(ShownPercentiles, StayShownWhenMoreIsMeasured) { expect_to_stay_shown(8192); }

TEST(ShownPercentiles, StayShownWhenSamplesAreThinnedOut) { expect_to_stay_shown(256); }

// As the sum of processes has none that measured for different times.
TEST(ShownPercentiles, HaveNoIntervalsWithoutBatches) {
  Measurement measurement = first_of(stationary_streams()[5], 1000);
  measurement.latency_batches = {};
  measurement.series = {};
  measurement.precision = {};
  EXPECT_EQ(shown(measurement), (std::vector<bool>{true, true, true, false}));
  for (const auto& estimate :
       {percentile_of(measurement, kShownPercentiles[0]),
        percentile_of(measurement.latency, kShownPercentiles[0], measurement)}) {
    ASSERT_TRUE(estimate);
    EXPECT_EQ(estimate->value, measurement.latency.percentile(0.5));
    EXPECT_FALSE(estimate->low);
    EXPECT_FALSE(estimate->high);
  }
}

TEST(ShownPercentiles, AreShownOnlyWhereTheMeanHasAnInterval) {
  for (const Stream& stream : stationary_streams()) {
    for (std::int64_t count = 8; count <= 100; ++count) {
      const Measurement measurement = first_of(stream, count);
      EXPECT_EQ(percentile_of(measurement, kShownPercentiles[0]).has_value(),
                measurement.precision.mean_latency_ns.has_value())
          << stream.name << ", " << count;
    }
  }
}

TEST(ShownPercentiles, AreAsWideAsABucketWhereAllAreAlike) {
  const auto median = percentile_of(first_of(stationary_streams()[0], 100), kShownPercentiles[0]);
  ASSERT_TRUE(median);
  const std::size_t bucket = Histogram::bucket_of(2700_ns);
  EXPECT_EQ(median->low, Histogram::lowest_of(bucket));
  EXPECT_EQ(median->high, Histogram::highest_of(bucket));
}

// So few bursts of alike latencies are as few latencies.
TEST(ShownPercentiles, AreWithheldOfTooFewBursts) {
  const Stream bursts{"bursts",
                      [](std::int64_t n, Random&) { return 1000 + mix64(n / 200) % 100'000; }, 200};
  EXPECT_EQ(shown(first_of(bursts, 2000)), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(shown(first_of(stationary_streams()[5], 2000)),
            (std::vector<bool>{true, true, true, false}));
}

}  // namespace
}  // namespace verbena::experiments
