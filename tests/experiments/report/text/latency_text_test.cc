// Rows of percentiles, and of their intervals.
#include "experiments/report/text/latency_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "workloads/measure/estimate.h"
#include "workloads/measure/latency_batches.h"

namespace verbena::experiments {
namespace {

constexpr std::uint64_t kEach = 10'000;
constexpr std::size_t kP99 = 2;

// Latencies of 1 us, but 2 % of 10 us or longer; each batch has so many of 100 us.
Measurement measured(const std::vector<std::uint64_t>& longest) {
  constexpr std::uint64_t kMany = 200;
  Measurement measurement;
  measurement.seconds = 1;
  measurement.precision.mean_latency_ns.emplace();
  measurement.precision.mean_latency_ns->estimate = {.mean = 1200, .half_width = 100};
  std::vector<workloads::LatencyBatches::Counts> counts(longest.size());
  for (std::size_t b = 0; b < longest.size(); ++b) {
    const std::pair<Nanoseconds, std::uint64_t> kinds[] = {{1 * kMicrosecond, kEach - kMany},
                                                           {10 * kMicrosecond, kMany - longest[b]},
                                                           {100 * kMicrosecond, longest[b]}};
    for (const auto& [latency, count] : kinds) {
      counts[b][Histogram::bucket_of(latency)] = static_cast<double>(count);
      for (std::uint64_t i = 0; i < count; ++i) measurement.latency.record(latency);
    }
  }
  measurement.latency_batches =
      workloads::LatencyBatches(std::move(counts), static_cast<double>(kEach * longest.size()));
  return measurement;
}

std::vector<std::string> labels(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::vector<std::string> labels;
  labels.reserve(rows.size());
  for (const auto& [label, cells] : rows) {
    labels.push_back(label.substr(label.find_first_not_of(' ')));
  }
  return labels;
}

std::vector<std::string> cells(const std::pair<std::string, std::string>& row) {
  std::istringstream text(row.second);
  std::vector<std::string> cells;
  for (std::string cell; text >> cell;) cells.push_back(cell);
  return cells;
}

TEST(LatencyRows, TellHalfTheWidthsOfIntervalsAroundTheirValues) {
  const auto rows = latency_rows(measured(std::vector<std::uint64_t>(workloads::kBatches, 20)));
  EXPECT_EQ(labels(rows), (std::vector<std::string>{"all", "+- (95 %)"}));
  EXPECT_EQ(cells(rows[1]).back(), "0.10") << "of the mean";
}

// The share of the longest is 0.95 %, give or take: p99 may be one of them, and hardly less than it
// is.
TEST(LatencyRows, TellBothEndsWhereTheValueIsNotInTheMiddle) {
  std::vector<std::uint64_t> longest(workloads::kBatches, 60);
  for (std::size_t b = 0; b < longest.size(); b += 2) longest[b] = 130;
  const auto rows = latency_rows(measured(longest));
  ASSERT_EQ(labels(rows), (std::vector<std::string>{"all", "from (95 %)", "to (95 %)"}));
  EXPECT_NEAR(std::stod(cells(rows[0])[kP99]), 10, 0.4);
  EXPECT_NEAR(std::stod(cells(rows[1])[kP99]), 10, 0.4);
  EXPECT_NEAR(std::stod(cells(rows[2])[kP99]), 100, 4);
  EXPECT_EQ(cells(rows[1]).back(), "1.10") << "of the mean";
  EXPECT_EQ(cells(rows[2]).back(), "1.30");
}

TEST(LatencyRows, TellNoIntervalOfAMeanThatIsUnknown) {
  Measurement measurement = measured(std::vector<std::uint64_t>(workloads::kBatches, 20));
  workloads::Estimate& mean = measurement.precision.mean_latency_ns->estimate;
  mean.half_width = 2 * mean.mean;
  EXPECT_EQ(cells(latency_rows(measurement)[1]).back(), "-");
}

}  // namespace
}  // namespace verbena::experiments
