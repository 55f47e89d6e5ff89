// Clients of PRISM-TX that stop.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "rdma/base/reached_points.h"
#include "tests/support/crash.h"
#include "tests/txn/kv/kv_run.h"

namespace verbena::testing {
namespace {

constexpr NodeId kClient{3};  // of two, beside two servers
constexpr std::uint64_t kTransactions = 30;

KvRun run_with(Crash& dies, std::uint64_t seed, const std::string& records) {
  return {.system = "prism-tx",
          .seed = seed,
          .nodes = 4,
          .chaos = seed % 2 == 0,
          .of_workload = {{"keys_per_transaction", "3"},
                          {"records", records},
                          {"distribution", "uniform"},
                          {"update", seed % 4 < 2 ? "replace" : "change"}},
          .of_system = found_soon(),
          .duration = kSecond,
          .max_transactions = kTransactions,
          .patience = 20 * kMillisecond,
          .notify_window = 1,
          .crashes = {&dies}};
}

/// Runs with many records, in which a client stops at `point`: nothing is wrong, and hardly
/// anybody needs what it had prepared.
void expect_that_others_go_on(const std::string& point, ReachedPoints& reached) {
  std::uint64_t given_up = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Crash dies(kClient, point, 20 + seed);
    KvRun run = run_with(dies, seed, "20000");
    if (seed % 3 == 0) run.of_system.emplace_back("tx.prepare", "pipelined");
    if (seed % 5 == 0) run.of_system.emplace_back("tx.abort", "equal");
    run.reached = &reached;
    const auto result = run_kv(run);
    EXPECT_TRUE(dies.happened()) << "seed " << seed;
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost, std::vector<NodeId>{kClient}) << "seed " << seed;
    EXPECT_GE(result.committed_total + result.given_up, 2U * 4 * kTransactions) << "seed " << seed;
    given_up += result.given_up;
  }
  EXPECT_LT(given_up, 20U);
}

TEST(TxFaults, OthersGoOnWithoutAClientThatStopsBetweenPrepareAndInstall) {
  ReachedPoints reached;
  expect_that_others_go_on("prism_tx: attempt prepared", reached);
  EXPECT_TRUE(reached.points().contains("prism: buffers of a dead client found"));
}

TEST(TxFaults, OthersGoOnWithoutAClientThatStopsBeforeItReports) {
  ReachedPoints reached;
  expect_that_others_go_on("prism_tx: attempt installed", reached);
  EXPECT_TRUE(reached.points().contains("prism: buffers of a dead client found"));
}

// Four records, all of which everybody needs, and nobody overwrites.
TEST(TxFaults, WhoReadsAKeyOfTheDeadGivesUp) {
  std::uint64_t given_up = 0;
  ReachedPoints reached;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Crash dies(kClient, "prism_tx: attempt prepared", 5 + seed);
    KvRun run = run_with(dies, seed, "4");
    run.of_workload.back().second = "change";
    if (seed % 3 == 0) run.of_system.emplace_back("tx.abort", "equal");
    run.reached = &reached;
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    given_up += result.given_up;
  }
  EXPECT_GT(given_up, 1000U);
  EXPECT_TRUE(reached.points().contains("prism_tx: transaction given up for a key of the dead"));
}

}  // namespace
}  // namespace verbena::testing
