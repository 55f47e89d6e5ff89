// ABDLOCK under contention: each block has to be linearizable.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/base/reached_points.h"
#include "tests/support/test_fabric.h"
#include "tests/txn/blocks/blocks_run.h"
#include "workloads/run/stuck.h"

namespace verbena::testing {
namespace {

constexpr Nanoseconds kShort = 300 * kMicrosecond;

void expect_linearizable(const BlocksRun& run) {
  try {
    const auto result = run_blocks(run);
    EXPECT_EQ(first_error(result), "") << "seed " << run.seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << run.seed;
    EXPECT_TRUE(result.lost.empty()) << "seed " << run.seed;
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << run.seed;
  } catch (const workloads::Stuck& stuck) {
    ADD_FAILURE() << "seed " << run.seed << ": " << stuck.what();
  }
}

TEST(LockRun, EachBlockIsLinearizable) {
  ReachedPoints reached;
  for (std::uint64_t seed = 1; seed <= by_fabric(100U, 1U); ++seed) {
    expect_linearizable({.seed = seed, .duration = kShort, .reached = &reached});
  }
  if (on_hardware()) return;
  EXPECT_TRUE(reached.points().contains("blocks: lock refused"));
  EXPECT_TRUE(reached.points().contains("blocks: lock that came late given back"));
}

TEST(LockRun, EachBlockIsLinearizableByCoresWhereMessagesAreLost) {
  if (on_hardware()) GTEST_SKIP() << "faults are those of the simulated fabric";
  for (std::uint64_t seed = 101; seed <= 200; ++seed) {
    expect_linearizable({.seed = seed, .software = true, .loss = "0.02", .duration = 2 * kShort});
  }
}

TEST(LockRun, FiveReplicasOfWhichThreeAreAskedAreEnough) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    expect_linearizable(
        {.seed = seed,
         .nodes = 7,
         .replicas = 5,
         .of_system = {{"ask", seed % 2 == 0 ? "block-quorum" : "quorum"}, {"put_reads", "tag"}},
         .duration = kShort});
  }
}

TEST(LockRun, AGetThatMeetsOneVersionNeedNotWriteItBack) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    BlocksRun run{.seed = seed, .of_system = {{"skip_write_back", "true"}}, .duration = kShort};
    const auto result = run_blocks(run);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_LT(counted(result, "write_backs") * 10, result.metrics.committed) << "seed " << seed;
  }
}

// One block for all: who does not get its locks waits for longer and longer.
TEST(LockRun, WhoDoesNotGetLocksBacksOff) {
  if (on_hardware()) GTEST_SKIP() << "how often clients meet there is not known";
  const auto attempts = [](const char* first, const char* ceiling) {
    const auto result =
        run_blocks({.of_workload = {{"records", "1"}},
                    .of_system = {{"lock_backoff", first}, {"lock_backoff_ceiling", ceiling}},
                    .duration = 2 * kMillisecond});
    EXPECT_EQ(first_error(result), "");
    return static_cast<double>(counted(result, "locks_refused")) /
           static_cast<double>(result.metrics.committed);
  };
  EXPECT_GT(attempts("1us", "1us"), 2 * attempts("4us", "256us"));
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

TEST(LockRun, SeveralNicsOfAServerAreRefusedWhereTheirAtomicsDoNotExclude) {
  if (on_hardware()) GTEST_SKIP() << "there is one device";
  EXPECT_EQ(refusal({.nics = 2}),
            "system 'abdlock' locks by 2 NICs per node, but the atomics of one NIC do not exclude "
            "those of another (IBV_ATOMIC_HCA); allowed are one NIC (--nics-per-node 1), --prism "
            "software, or blocks.trust_atomics_across_nics=true, which takes the exclusion for "
            "granted");
  expect_linearizable({.nics = 2, .software = true});
  expect_linearizable(
      {.nics = 2, .chaos = false, .of_system = {{"trust_atomics_across_nics", "true"}}});
}

TEST(LockRun, OddNumbersOfReplicasFromThreeOnAndAClientAreNeeded) {
  EXPECT_EQ(refusal({.replicas = 4}),
            "replicas 4; system 'abdlock' keeps 2f + 1 copies, of which f may be lost: allowed are "
            "odd numbers from 3 on");
  EXPECT_EQ(refusal({.nodes = 3}),
            "nodes 3; system 'abdlock' needs at least 4: a server for each replica, and a client");
}

}  // namespace
}  // namespace verbena::testing
