// Round trips and requests of operations on PRISM-RS (PRISM paper, section 7.1: claim P57).
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/txn/blocks/blocks_run.h"

namespace verbena::testing {
namespace {

/// Counters, divided by the operations.
struct PerOperation {
  double read_phases = 0;
  double write_phases = 0;
  double write_backs = 0;
  double reads = 0;
  double chains = 0;
  double messages = 0;
  double wire_bytes = 0;
};

// Many blocks for few clients, so that hardly any two meet.
PerOperation measured(const std::string& core, int update_percent,
                      std::vector<std::pair<std::string, std::string>> of_system = {},
                      const std::string& records = "20000") {
  BlocksRun run{
      .system = "prism-rs", .fibers = 1, .chaos = false, .of_system = std::move(of_system)};
  run.of_workload = {{"records", records},
                     {"core", core},
                     {"read_percent", std::to_string(100 - update_percent)},
                     {"update_percent", std::to_string(update_percent)},
                     {"distribution", "uniform"},
                     {"field_count", "1"},
                     {"field_bytes", "504"}};
  run.duration = 4 * kMillisecond;
  const auto result = run_blocks(run);
  EXPECT_EQ(first_error(result), "");
  EXPECT_GT(result.metrics.committed, 100U);
  const auto operations = static_cast<double>(result.metrics.committed);
  const auto each = [&](const char* counter) {
    return static_cast<double>(counted(result, counter)) / operations;
  };
  return {.read_phases = each("read_phases"),
          .write_phases = each("write_phases"),
          .write_backs = each("write_backs"),
          .reads = each("reads"),
          .chains = each("chains"),
          .messages = static_cast<double>(result.nic_counters.at("verbs.send")) / operations,
          .wire_bytes = static_cast<double>(result.nic_counters.at("wire_bytes")) / operations};
}

// A read and a write phase, each at three replicas: a call has two messages. Sixteen buffers go
// back at once.
TEST(RsRoundTrips, AGetHasTwo) {
  const PerOperation get = measured("C", 0);
  EXPECT_NEAR(get.read_phases, 1, 0.02);
  EXPECT_NEAR(get.write_phases, 1, 0.02);
  EXPECT_NEAR(get.reads, 3, 0.06);
  EXPECT_NEAR(get.chains, 3, 0.06);
  EXPECT_NEAR(get.messages, 12 + 3.0 / 16, 0.6);
}

TEST(RsRoundTrips, APutHasTwo) {
  const PerOperation put = measured("A", 100);
  EXPECT_NEAR(put.read_phases, 1, 0.02);
  EXPECT_NEAR(put.write_phases, 1, 0.02);
  EXPECT_NEAR(put.reads, 3, 0.06);
  EXPECT_NEAR(put.chains, 3, 0.06);
  EXPECT_NEAR(put.messages, 12 + 3.0 / 16, 0.6);
}

TEST(RsRoundTrips, AGetThatWritesNothingBackHasOne) {
  const PerOperation get = measured("C", 0, {{"skip_write_back", "true"}});
  EXPECT_NEAR(get.read_phases, 1, 0.02);
  EXPECT_NEAR(get.write_phases, 0, 0.01);
  EXPECT_NEAR(get.chains, 0, 0.01);
}

// At each of three replicas. Phases are as before; what one takes has more round trips.
void expect_requests(const std::string& without, double reads, double writes) {
  const PerOperation put = measured("A", 100, {{"without", without}});
  EXPECT_NEAR(put.read_phases, 1, 0.02) << without;
  EXPECT_NEAR(put.write_phases, 1, 0.02) << without;
  EXPECT_NEAR(put.reads, 3 * reads, 0.12) << without;
  EXPECT_NEAR(put.chains, 3 * writes, 0.12) << without;
}

// ALLOCATE and compare-and-swap are a request each.
TEST(RsRoundTrips, WithoutChainingAWriteIsTwoRequests) { expect_requests("chaining", 1, 2); }

// Metadata and block are read one after the other; the compare-and-swap has to have the address.
TEST(RsRoundTrips, WithoutIndirectionAReadIsTwoRequestsAndAWriteToo) {
  expect_requests("indirection", 2, 2);
}

// Sixteen buffers are taken at once.
TEST(RsRoundTrips, WithoutAllocationNothingButASixteenthIsAdded) {
  expect_requests("allocation", 1, 1 + 1.0 / 16);
}

// The lock is taken with the tag, and given back with what is written.
TEST(RsRoundTrips, WithoutCompareAndSwapsOfTagsAWriteIsTwoRequests) {
  expect_requests("cas", 1, 2);
}

// The values of three blocks of 512 B stay where they are.
TEST(RsRoundTrips, APutThatReadsTheTagAloneFetchesNoValue) {
  const PerOperation block = measured("A", 100, {{"put_reads", "block"}});
  const PerOperation tag = measured("A", 100, {{"put_reads", "tag"}});
  EXPECT_NEAR(block.reads, tag.reads, 0.06);
  EXPECT_NEAR(block.wire_bytes - tag.wire_bytes, 3 * 512, 80);
}

TEST(RsRoundTrips, WhereAQuorumIsAskedEachRequestIsMadeTwice) {
  const PerOperation put = measured("A", 50, {{"ask", "quorum"}});
  EXPECT_NEAR(put.reads, 2, 0.05);
  EXPECT_NEAR(put.chains, 2, 0.05);
}

// Reads write back where the two replicas that they ask have different versions.
TEST(RsRoundTrips, WhereBlocksHaveTheirQuorumsNothingIsWrittenBack) {
  const auto write_backs = [](const char* ask) {
    return measured("A", 50, {{"ask", ask}, {"skip_write_back", "true"}}, "1000").write_backs;
  };
  EXPECT_GT(write_backs("quorum"), 0.1);
  EXPECT_LT(write_backs("block-quorum"), 0.01);
}

}  // namespace
}  // namespace verbena::testing
