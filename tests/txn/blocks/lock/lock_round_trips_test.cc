// Round trips and requests of operations on ABDLOCK (PRISM paper, section 7.2: claim P58).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/txn/blocks/blocks_run.h"

namespace verbena::testing {
namespace {

/// Counters, divided by the operations.
struct PerOperation {
  double round_trips = 0;
  double locks = 0;
  double reads = 0;
  double writes = 0;
  double unlocks = 0;
  double wire_bytes = 0;
};

// Many blocks for few clients, so that hardly any two meet.
PerOperation measured(const std::string& core, const std::string& update_percent,
                      std::vector<std::pair<std::string, std::string>> of_system = {},
                      bool software = false) {
  const auto result =
      run_blocks({.fibers = 1,
                  .chaos = false,
                  .software = software,
                  .of_workload = {{"records", "20000"},
                                  {"core", core},
                                  {"read_percent", std::to_string(100 - std::stoi(update_percent))},
                                  {"update_percent", update_percent},
                                  {"distribution", "uniform"},
                                  {"field_count", "1"},
                                  {"field_bytes", "504"}},
                  .of_system = std::move(of_system),
                  .duration = 2 * kMillisecond});
  EXPECT_EQ(first_error(result), "");
  EXPECT_GT(result.metrics.committed, 100U);
  const auto each = [&](const char* counter) {
    return static_cast<double>(counted(result, counter)) /
           static_cast<double>(result.metrics.committed);
  };
  return {.round_trips = each("round_trips"),
          .locks = each("locks"),
          .reads = each("reads"),
          .writes = each("writes"),
          .unlocks = each("unlocks"),
          .wire_bytes = static_cast<double>(result.nic_counters.at("wire_bytes")) /
                        static_cast<double>(result.metrics.committed)};
}

// The two of multi-writer ABD, and two that locks add: P58. Locks are asked for at all three
// replicas, and given back wherever they were got.
TEST(LockRoundTrips, AGetHasFour) {
  const PerOperation get = measured("C", "0");
  EXPECT_NEAR(get.round_trips, 4, 0.1);
  EXPECT_NEAR(get.locks, 3, 0.1);
  EXPECT_NEAR(get.unlocks, 3, 0.1);
  EXPECT_GT(get.reads, 1.9);
  EXPECT_LT(get.reads, 3.1);
  EXPECT_GT(get.writes, 1.9);
  EXPECT_LT(get.writes, 3.1);
}

TEST(LockRoundTrips, APutHasFour) {
  const PerOperation put = measured("A", "100");
  EXPECT_NEAR(put.round_trips, 4, 0.1);
  EXPECT_NEAR(put.locks, 3, 0.1);
  EXPECT_NEAR(put.unlocks, 3, 0.1);
}

TEST(LockRoundTrips, ByCoresThereAreAsMany) {
  EXPECT_NEAR(measured("A", "50", {}, true).round_trips, 4, 0.1);
}

TEST(LockRoundTrips, AGetThatWritesNothingBackHasThree) {
  const PerOperation get = measured("C", "0", {{"skip_write_back", "true"}});
  EXPECT_NEAR(get.round_trips, 3, 0.1);
  EXPECT_NEAR(get.writes, 0, 0.01);
}

TEST(LockRoundTrips, WhereAQuorumIsAskedEachRequestIsMadeTwice) {
  const PerOperation put = measured("A", "50", {{"ask", "quorum"}});
  EXPECT_NEAR(put.round_trips, 4, 0.1);
  for (const double requests : {put.locks, put.reads, put.writes, put.unlocks}) {
    EXPECT_NEAR(requests, 2, 0.1);
  }
}

// The values of 512 B of the blocks that are read stay where they are.
TEST(LockRoundTrips, APutThatReadsTheTagAloneFetchesNoValue) {
  const PerOperation block = measured("A", "100", {{"put_reads", "block"}, {"ask", "quorum"}});
  const PerOperation tag = measured("A", "100", {{"put_reads", "tag"}, {"ask", "quorum"}});
  EXPECT_NEAR(block.reads, tag.reads, 0.1);
  EXPECT_NEAR(block.wire_bytes - tag.wire_bytes, 2 * 512, 80);
}

}  // namespace
}  // namespace verbena::testing
