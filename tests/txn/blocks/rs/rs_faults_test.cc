// Replicas and clients of PRISM-RS that stop.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/txn/blocks/blocks_run.h"
#include "tests/txn/blocks/crash.h"

namespace verbena::testing {
namespace {

constexpr const char* kClientWrites = "blocks: version written at a replica";

BlocksRun run_with(Crash& dies, std::uint64_t seed) {
  return {.system = "prism-rs", .seed = seed, .of_system = kSoon, .crashes = {&dies}};
}

// It dies as it first hears of a client.
TEST(RsFaults, WithoutOneReplicaTenThousandOperationsComplete) {
  Crash dies(kReplica, kServerRuns, 2);
  BlocksRun run = run_with(dies, 1);
  run.chaos = false;
  run.of_workload = {{"records", "1000"}};
  run.duration = kSecond;
  run.max_transactions = 650;
  const auto result = run_blocks(run);
  EXPECT_TRUE(dies.happened());
  EXPECT_EQ(first_error(result), "");
  EXPECT_EQ(result.lost, std::vector<NodeId>{kReplica});
  EXPECT_EQ(result.committed_total, 2U * 2 * 4 * 650);
}

TEST(RsFaults, BlocksStayLinearizableWhenAReplicaStops) {
  ReachedPoints reached;
  std::uint64_t died = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Crash dies(static_cast<NodeId>(seed % 3), kServerRuns, 3 + seed % 12);
    BlocksRun run = run_with(dies, seed);
    run.of_workload = {{"update_percent", "80"}, {"read_percent", "20"}};
    run.reached = &reached;
    if (seed % 4 == 0) run.of_system.emplace_back("ask", "quorum");
    if (seed % 4 == 2) run.of_system.emplace_back("ask", "block-quorum");
    const auto result = run_blocks(run);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    if (dies.happened()) ++died;
  }
  EXPECT_GT(died, 30U);
  EXPECT_TRUE(reached.points().contains("blocks: replica is silent for too long"));
  EXPECT_TRUE(reached.points().contains("blocks: write to a silent replica put off"));
  EXPECT_TRUE(reached.points().contains("prism: told of a death"));
}

// Reports of buffers to the replica that is dead wait until others know, those to others do not.
TEST(RsFaults, ASilentReplicaKeepsNoOtherFromBeingAsked) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Crash dies(kReplica, kServerRuns, 3 + seed % 12);
    BlocksRun run = run_with(dies, seed);
    run.of_system.emplace_back("spares", "1");
    run.of_workload = {{"update_percent", "80"}, {"read_percent", "20"}};
    run.notify_window = 1;
    const auto result = run_blocks(run);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_LE(result.lost.size(), 1U) << "seed " << seed;
  }
}

// Some replicas have what it wrote, others not: who reads it writes it back.
TEST(RsFaults, OthersGoOnWithoutAClientThatStopsInAWritePhase) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Crash dies(kClient, kClientWrites, 20 + seed);
    BlocksRun run = run_with(dies, seed);
    run.chaos = seed % 2 == 0;
    run.duration = kSecond;
    run.max_transactions = 50;
    run.of_workload = {{"update_percent", "80"}, {"read_percent", "20"}};
    run.notify_window =
        1;  // so that few buffers can be on their way back, and the books are strict
    const auto result = run_blocks(run);
    EXPECT_TRUE(dies.happened()) << "seed " << seed;
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost, std::vector<NodeId>{kClient}) << "seed " << seed;
    EXPECT_GE(result.committed_total, 2U * 4 * 50) << "seed " << seed;
  }
}

// Two of three are gone.
TEST(RsFaults, WithoutAQuorumTheRunEnds) {
  Crash first(NodeId{0}, kServerRuns, 3);
  Crash second(NodeId{1}, kServerRuns, 5);
  BlocksRun run = run_with(first, 1);
  run.crashes.push_back(&second);
  run.duration = kSecond;
  try {
    run_blocks(run);
    FAIL() << "operations complete without a quorum";
  } catch (const PeerMissing& missing) {
    EXPECT_NE(std::string(missing.what()).find("2 of 3 replicas have to answer"), std::string::npos)
        << missing.what();
  }
}

}  // namespace
}  // namespace verbena::testing
