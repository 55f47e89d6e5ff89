// PRISM-RS under contention: each block has to be linearizable.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/txn/blocks/blocks_run.h"

namespace verbena::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Four blocks for all, or another number.
BlocksRun few_blocks(std::uint64_t seed, Settings of_system = {}) {
  return {.system = "prism-rs", .seed = seed, .of_system = std::move(of_system)};
}

void expect_linearizable(const BlocksRun& run) {
  const auto result = run_blocks(run);
  EXPECT_EQ(first_error(result), "") << "seed " << run.seed;
  EXPECT_GT(result.committed_total, 20U) << "seed " << run.seed;
  EXPECT_GT(result.verification.records_checked, 0U) << "seed " << run.seed;
}

TEST(RsRun, EachBlockIsLinearizable) {
  for (std::uint64_t seed = 1; seed <= by_fabric(60U, 1U); ++seed) {
    BlocksRun run = few_blocks(seed);
    run.of_workload = {{"records", seed % 2 == 0 ? "1" : "4"}};
    expect_linearizable(run);
  }
}

TEST(RsRun, EachBlockIsLinearizableWhereMessagesAreLost) {
  if (on_hardware()) GTEST_SKIP() << "faults are those of the simulated fabric";
  for (std::uint64_t seed = 101; seed <= 160; ++seed) {
    BlocksRun run = few_blocks(seed);
    run.loss = "0.02";
    run.of_workload = {{"records", seed % 2 == 0 ? "1" : "4"}};
    expect_linearizable(run);
  }
}

TEST(RsRun, SoItIsWithLessWork) {
  for (std::uint64_t seed = 201; seed <= by_fabric(210U, 201U); ++seed) {
    expect_linearizable(few_blocks(seed, {{"skip_write_back", "true"}}));
    expect_linearizable(few_blocks(seed, {{"put_reads", "tag"}}));
    expect_linearizable(few_blocks(seed, {{"ask", "quorum"}}));
    expect_linearizable(few_blocks(seed, {{"ask", "block-quorum"}}));
  }
}

TEST(RsRun, SoItIsWithFiveReplicas) {
  for (std::uint64_t seed = 301; seed <= by_fabric(310U, 301U); ++seed) {
    BlocksRun run = few_blocks(seed);
    run.nodes = 7;
    run.replicas = 5;
    expect_linearizable(run);
  }
}

// One spare buffer for each client: who finds none waits until others have given theirs back.
TEST(RsRun, FewBuffersAreUsedAgainAndAgain) {
  std::uint64_t lacking = 0;
  for (std::uint64_t seed = 401; seed <= by_fabric(420U, 401U); ++seed) {
    const auto result = run_blocks(few_blocks(seed, {{"spares", "1"}}));
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
    EXPECT_TRUE(result.lost.empty()) << "seed " << seed;
    lacking += counted(result, "no_free_buffers");
  }
  if (!on_hardware()) {
    EXPECT_GT(lacking, 20U);
  }
}

/// The error of a run that is refused.
std::string refusal(const BlocksRun& run) {
  try {
    run_blocks(run);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(RsRun, EvenNumbersOfReplicasAreRefused) {
  BlocksRun run = few_blocks(1);
  run.replicas = 2;
  EXPECT_EQ(refusal(run),
            "replicas 2; system 'prism-rs' keeps 2f + 1 copies, of which f may be lost: allowed "
            "are odd numbers from 3 on");
}

TEST(RsRun, ClustersWithoutClientsAreRefused) {
  BlocksRun run = few_blocks(1);
  run.nodes = 3;
  EXPECT_EQ(refusal(run),
            "nodes 3; system 'prism-rs' needs at least 4: a server for each replica, and a client");
}

TEST(RsRun, TransactionsOfSeveralRecordsAreRefused) {
  BlocksRun run = few_blocks(1);
  run.of_workload = {{"keys_per_transaction", "3"}};
  EXPECT_EQ(refusal(run),
            "workload ycsb has transactions of up to 3 records; system 'prism-rs' takes one at a "
            "time: allowed are workloads of one record, as ycsb is with "
            "workload.keys_per_transaction=1");
}

TEST(RsRun, UpdatesOfWhatWasReadAreRefused) {
  BlocksRun run = few_blocks(1);
  run.of_workload = {{"update", "change"}};
  EXPECT_EQ(refusal(run),
            "workload ycsb reads records and then writes them in one step, which system 'prism-rs' "
            "cannot");
}

}  // namespace
}  // namespace verbena::testing
