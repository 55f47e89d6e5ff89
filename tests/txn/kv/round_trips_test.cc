// Round trips of operations on key-value stores (PRISM paper, sections 6.1 and 6.2).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/txn/kv/kv_run.h"

namespace verbena::testing {
namespace {

/// Messages and READs of an operation.
struct PerOperation {
  double messages = 0;
  double reads = 0;
};

// One client after another has many records for itself, so that nobody tries again. What the end of
// a run, and the giving back of buffers, takes of messages is a small part of one.
PerOperation measured(const std::string& system, const std::string& core, int update_percent,
                      const std::string& without = "nothing") {
  KvRun run{.system = system, .chaos = false, .duration = 4 * kMillisecond};
  run.of_workload = {{"keys_per_transaction", "1"},
                     {"records", "20000"},
                     {"core", core},
                     {"read_percent", std::to_string(100 - update_percent)},
                     {"update_percent", std::to_string(update_percent)},
                     {"distribution", "uniform"}};
  if (without != "nothing") run.of_system = {{"prism.without", without}};
  const auto result = run_kv(run);
  EXPECT_EQ(what_is_wrong(result), "");
  const auto each = [&](const char* counter) {
    const auto found = result.nic_counters.find(counter);
    const double count =
        found == result.nic_counters.end() ? 0 : static_cast<double>(found->second);
    return count / static_cast<double>(result.metrics.committed);
  };
  return {.messages = each("verbs.send"), .reads = each("verbs.read")};
}

TEST(KvRoundTrips, AGetOfPrismIsOneCall) {
  const PerOperation get = measured("prism-kv", "C", 0);
  EXPECT_NEAR(get.messages, 2, 0.05);
  EXPECT_NEAR(get.reads, 0, 0.01);
}

// A look-up, and the chain that allocates, writes and installs; sixteen buffers go back at once.
TEST(KvRoundTrips, APutOfPrismIsTwoCalls) {
  const PerOperation put = measured("prism-kv", "A", 100);
  EXPECT_NEAR(put.messages, 4 + 1.0 / 16, 0.2);
}

// Calls of a GET and of a PUT.
void expect_calls(const std::string& without, double get, double put) {
  EXPECT_NEAR(measured("prism-kv", "C", 0, without).messages, 2 * get, 0.05) << without;
  EXPECT_NEAR(measured("prism-kv", "A", 100, without).messages, 2 * put + 1.0 / 16, 0.2) << without;
}

// ALLOCATE and compare-and-swap are a call each.
TEST(KvRoundTrips, WithoutChainingAPutIsThreeCalls) { expect_calls("chaining", 1, 3); }

// Slot and object are read by a call each; the compare-and-swap has to have the address.
TEST(KvRoundTrips, WithoutIndirectionAGetIsTwoCallsAndAPutIsFour) {
  expect_calls("indirection", 2, 4);
}

// Sixteen buffers are taken at once.
TEST(KvRoundTrips, WithoutAllocationNothingButASixteenthIsAdded) {
  expect_calls("allocation", 1, 2 + 1.0 / 16);
}

// A pointer with a version in it is followed by the client.
TEST(KvRoundTrips, WithoutCompareAndSwapsOfSlotsAGetIsTwoCallsAndAPutIsThree) {
  expect_calls("cas", 2, 3);
}

TEST(KvRoundTrips, AGetOfPilafIsTwoReads) {
  const PerOperation get = measured("pilaf", "C", 0);
  EXPECT_NEAR(get.messages, 0, 0.01);
  EXPECT_NEAR(get.reads, 2, 0.02);
}

TEST(KvRoundTrips, APutOfPilafIsOneCall) {
  const PerOperation put = measured("pilaf", "A", 100);
  EXPECT_NEAR(put.messages, 2, 0.05);
  EXPECT_NEAR(put.reads, 0, 0.01);
}

}  // namespace
}  // namespace verbena::testing
