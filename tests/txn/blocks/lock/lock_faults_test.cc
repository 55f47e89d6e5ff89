// Replicas and clients of ABDLOCK that stop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/txn/blocks/blocks_run.h"
#include "tests/txn/blocks/crash.h"
#include "workloads/run/stuck.h"

namespace verbena::testing {
namespace {

constexpr const char* kClientWrites = "blocks: locked block is being written";

// It dies as it first hears of a client.
TEST(LockFaults, WithoutOneReplicaTenThousandOperationsComplete) {
  Crash dies(kReplica, kServerRuns, 2);
  const auto result = run_blocks({.chaos = false,
                                  .of_workload = {{"records", "1000"}},
                                  .of_system = kSoon,
                                  .duration = kSecond,
                                  .max_transactions = 650,
                                  .crashes = {&dies}});
  EXPECT_TRUE(dies.happened());
  EXPECT_EQ(first_error(result), "");
  EXPECT_EQ(result.lost, std::vector<NodeId>{kReplica});
  EXPECT_EQ(result.committed_total, 2U * 2 * 4 * 650);
}

// In the midst of locks and writes.
TEST(LockFaults, BlocksStayLinearizableWhenAReplicaStops) {
  ReachedPoints reached;
  std::uint64_t died = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Crash dies(static_cast<NodeId>(seed % 3), kServerRuns, 3 + seed % 12);
    BlocksRun run{.seed = seed,
                  .software = seed % 2 == 0,
                  .of_workload = {{"update_percent", "80"}, {"read_percent", "20"}},
                  .of_system = kSoon,
                  .crashes = {&dies},
                  .reached = &reached};
    const auto result = run_blocks(run);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    if (dies.happened()) ++died;
  }
  EXPECT_GT(died, 40U);
  EXPECT_TRUE(reached.points().contains("blocks: locked replica lost"));
  EXPECT_TRUE(reached.points().contains("blocks: locked replica lost while it is written"));
}

// Its locks are not given back: whoever comes to one of its blocks waits, and says for whom.
TEST(LockFaults, OthersWaitForAClientThatStopsInAWritePhaseUntilItsDeathIsKnown) {
  Crash dies(kClient, kClientWrites, 100);
  std::vector<workloads::Unfinished> unfinished;
  try {
    run_blocks({.chaos = false,
                .duration = kSecond,
                .patience = 20 * kMillisecond,
                .crashes = {&dies},
                .unfinished = &unfinished});
    FAIL() << "nobody was stuck";
  } catch (const workloads::Stuck& stuck) {
    EXPECT_NE(std::string(stuck.what()).find("aborted by locked"), std::string::npos)
        << stuck.what();
  }
  EXPECT_TRUE(dies.happened());
  const std::string what = "lock of records partition 0 key ";
  const std::string holder = ", held by node 3, worker ";
  const auto waits = std::ranges::count_if(unfinished, [&](const workloads::Unfinished& one) {
    return one.node != kClient && one.waits_for.starts_with(what) &&
           one.waits_for.find(holder) != std::string::npos;
  });
  EXPECT_GT(waits, 0) << (unfinished.empty() ? "" : unfinished.front().waits_for);
}

// Nobody is told to lose patience.
TEST(LockFaults, OperationsThatNeedALockOfTheDeadAreGivenUp) {
  for (const char* const ask : {"all", "quorum", "block-quorum"}) {
    Crash dies(kClient, kClientWrites, 100);
    BlocksRun run{.chaos = false,
                  .of_system = kSoon,
                  .duration = 10 * kMillisecond,
                  .patience = 0,
                  .crashes = {&dies}};
    run.of_system.emplace_back("ask", ask);
    const auto result = run_blocks(run);
    EXPECT_TRUE(dies.happened());
    EXPECT_EQ(first_error(result), "") << ask;
    EXPECT_EQ(result.lost, std::vector<NodeId>{kClient});
    EXPECT_GT(result.given_up, 0U) << ask;
    EXPECT_TRUE(result.given_up_for.starts_with("lock of records partition 0 key "))
        << result.given_up_for;
    EXPECT_NE(result.given_up_for.find(", held by node 3, worker "), std::string::npos);
    EXPECT_TRUE(result.given_up_for.ends_with(", which has died")) << result.given_up_for;
  }
}

// It has locked hardly one of many blocks.
TEST(LockFaults, OtherBlocksCanBeHadWithoutAClientThatStopped) {
  Crash dies(kClient, kClientWrites, 100);
  const auto result =
      run_blocks({.chaos = false,
                  .of_workload = {{"records", "200000"}, {"distribution", "uniform"}},
                  .of_system = kSoon,
                  .duration = kSecond,
                  .max_transactions = 200,
                  .crashes = {&dies}});
  EXPECT_TRUE(dies.happened());
  EXPECT_EQ(first_error(result), "");
  EXPECT_EQ(result.lost, std::vector<NodeId>{kClient});
  EXPECT_GT(result.committed_total, 2U * 4 * 200);
}

}  // namespace
}  // namespace verbena::testing
