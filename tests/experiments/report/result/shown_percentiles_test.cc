// Percentiles that are shown, and those that are withheld.
#include "experiments/report/result/shown_percentiles.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace verbena::experiments {
namespace {

constexpr Nanoseconds kShort = 1 * kMicrosecond;
constexpr Nanoseconds kLong = 10 * kMicrosecond;
constexpr Nanoseconds kLongest = 100 * kMicrosecond;

// So many long and longest latencies in each of the batches, of 10000.
Measurement measured(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& batches) {
  Measurement measurement;
  measurement.seconds = 1;
  std::vector<workloads::LatencyBatches::Counts> counts(batches.size());
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const auto [many, most] = batches[b];
    for (const auto& [latency, count] :
         {std::pair(kShort, 10'000 - many - most), {kLong, many}, {kLongest, most}}) {
      counts[b][Histogram::bucket_of(latency)] = static_cast<double>(count);
      for (std::uint64_t i = 0; i < count; ++i) measurement.latency.record(latency);
    }
  }
  measurement.latency_batches = workloads::LatencyBatches(std::move(counts));
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

// The same times are shown where the latencies are; an interval that is wider than all of them ends
// with the last one.
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
    EXPECT_LE(times->high, Histogram::highest_of(Histogram::bucket_of(kLongest))) << each.name;
  }
  EXPECT_TRUE(percentile_of(measurement, kShownPercentiles[2]));
}

}  // namespace
}  // namespace verbena::experiments
