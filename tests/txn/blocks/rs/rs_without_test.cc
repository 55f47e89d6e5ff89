// PRISM-RS where NICs lack one of PRISM's extensions: each block has to be linearizable all the
// same.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/reached_points.h"
#include "tests/txn/blocks/blocks_run.h"
#include "tests/txn/blocks/crash.h"

namespace verbena::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// One block for all, or four.
BlocksRun few_blocks(const std::string& without, std::uint64_t seed) {
  return {.system = "prism-rs",
          .seed = seed,
          .of_workload = {{"records", seed % 2 == 0 ? "1" : "4"}},
          .of_system = {{"without", without}}};
}

void expect_linearizable(const BlocksRun& run) {
  const auto result = run_blocks(run);
  EXPECT_EQ(first_error(result), "") << "seed " << run.seed;
  EXPECT_GT(result.committed_total, 20U) << "seed " << run.seed;
  EXPECT_GT(result.verification.records_checked, 0U) << "seed " << run.seed;
}

class RsWithoutTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Extensions, RsWithoutTest,
                         ::testing::Values("indirection", "allocation", "cas", "chaining"),
                         [](const auto& extension) { return extension.param; });

TEST_P(RsWithoutTest, EachBlockIsLinearizable) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    expect_linearizable(few_blocks(GetParam(), seed));
  }
}

TEST_P(RsWithoutTest, MessagesMayBeLost) {
  for (std::uint64_t seed = 101; seed <= 130; ++seed) {
    BlocksRun run = few_blocks(GetParam(), seed);
    run.loss = "0.02";
    expect_linearizable(run);
  }
}

TEST_P(RsWithoutTest, OperationsMayAskForLess) {
  const std::vector<Settings> all = {
      {{"skip_write_back", "true"}}, {{"put_reads", "tag"}}, {{"ask", "quorum"}}};
  for (std::uint64_t seed = 201; seed <= 212; ++seed) {
    BlocksRun run = few_blocks(GetParam(), seed);
    run.of_system.push_back(all[seed % 3].front());
    expect_linearizable(run);
  }
}

// One spare buffer for each client: buffers are used again as soon as they may be.
TEST_P(RsWithoutTest, NoReaderSeesABufferThatIsUsedAgain) {
  for (std::uint64_t seed = 301; seed <= 330; ++seed) {
    BlocksRun run = few_blocks(GetParam(), seed);
    run.of_system.emplace_back("spares", "1");
    expect_linearizable(run);
  }
}

TEST_P(RsWithoutTest, AReplicaMayStop) {
  std::uint64_t died = 0;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    Crash dies(static_cast<NodeId>(seed % 3), kServerRuns, 3 + seed % 12);
    BlocksRun run = few_blocks(GetParam(), seed);
    run.of_system.insert(run.of_system.end(), kSoon.begin(), kSoon.end());
    run.crashes = {&dies};
    expect_linearizable(run);
    if (dies.happened()) ++died;
  }
  EXPECT_GT(died, 10U);
}

// Nobody finds its buffers, which are no more than it can have had.
TEST_P(RsWithoutTest, AClientMayStop) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    Crash dies(kClient, "blocks: version written at a replica", 10 + seed);
    BlocksRun run = few_blocks(GetParam(), seed);
    run.of_system.insert(run.of_system.end(), kSoon.begin(), kSoon.end());
    run.duration = kSecond;
    run.max_transactions = 50;
    run.crashes = {&dies};
    expect_linearizable(run);
    EXPECT_TRUE(dies.happened()) << "seed " << seed;
  }
}

TEST(RsWithoutCas, LocksOfADeadClientAreTaken) {
  ReachedPoints reached;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Crash dies(kClient, "blocks: tag locked by another", 5 + seed);
    BlocksRun run = few_blocks("cas", seed);
    run.of_workload = {{"records", "1"}};
    run.of_system.insert(run.of_system.end(), kSoon.begin(), kSoon.end());
    run.duration = kSecond;
    run.max_transactions = 50;
    run.crashes = {&dies};
    run.reached = &reached;
    expect_linearizable(run);
  }
  EXPECT_TRUE(reached.points().contains("blocks: tag's lock taken from a dead client"));
}

}  // namespace
}  // namespace verbena::testing
