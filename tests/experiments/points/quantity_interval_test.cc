// Intervals that a run tells of its quantities.
#include "experiments/points/quantity_interval.h"

#include <gtest/gtest.h>

#include <cmath>

namespace verbena::experiments {
namespace {

PointResult some_run() {
  PointResult run;
  run.throughput_per_s = 10e6;
  run.computing_nodes = 4;
  run.attempts = 12'000;
  run.aborted = 2'000;
  run.p99_us = 50;
  run.throughput_interval = OwnInterval{.half_width = 2e5, .degrees_of_freedom = 23};
  run.percentile_intervals_us["p99"] = {.low = 48, .high = 55};
  run.phases["log"].mean_us = 7;
  run.phases["log"].mean_interval_us = Interval95{.low = 6.5, .high = 7.5};
  run.phases["log"].p50_interval_us = Interval95{.low = 5, .high = 6};
  run.times["snapshot_age"].mean_interval_us = Interval95{.low = 1, .high = 2};
  run.kinds["payment"] = {.throughput_per_s = 4e6, .mean_us = 30};
  run.kinds["payment"].mean_interval_us = Interval95{.low = 29, .high = 31};
  return run;
}

TEST(QuantityInterval, IsWhatTheRunTellsInTheQuantitysUnit) {
  const PointResult run = some_run();
  EXPECT_NEAR(interval_of(run, "throughput")->low, 9.8, 1e-6);
  EXPECT_NEAR(interval_of(run, "throughput_per_node")->high, 10.2 / 4, 1e-6);
  EXPECT_EQ(interval_of(run, "throughput")->degrees_of_freedom, 23);
  EXPECT_EQ(interval_of(run, "p99")->low, 48);
  EXPECT_EQ(interval_of(run, "p99")->high, 55);
  EXPECT_EQ(interval_of(run, "log_mean")->low, 6.5);
  EXPECT_EQ(interval_of(run, "log_p50")->high, 6);
  EXPECT_EQ(interval_of(run, "snapshot_age_mean")->high, 2);
  EXPECT_EQ(interval_of(run, "payment_latency")->low, 29);
}

TEST(QuantityInterval, OfAKindsThroughputHasTheWholesAndItsSharesOwn) {
  const double share = std::sqrt(0.6 / (0.4 * 10'000)) * 1.96;
  const double relative = std::sqrt(0.02 * 0.02 + share * share);
  EXPECT_NEAR(interval_of(some_run(), "payment_throughput")->high, 4 * (1 + relative), 1e-6);
}

TEST(QuantityInterval, StaysUnknownWhereNothingTellsIt) {
  PointResult run = some_run();
  for (const char* quantity :
       {"p50", "mean", "abort_rate", "log_handler", "log_payload", "execute_mean", "memory_cores",
        "delivery_latency", "delivery_throughput"}) {
    EXPECT_FALSE(interval_of(run, quantity)) << quantity;
  }
  run.throughput_interval.reset();
  EXPECT_FALSE(interval_of(run, "throughput"));
  EXPECT_FALSE(interval_of(run, "payment_throughput"));
}

}  // namespace
}  // namespace verbena::experiments
