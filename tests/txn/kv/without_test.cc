// PRISM-KV where NICs lack one of PRISM's extensions: each record has to be linearizable all the
// same.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/crash.h"
#include "tests/txn/kv/kv_run.h"
#include "txn/kv/measures.h"

namespace verbena::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Four records for all.
KvRun few_records(const std::string& without, std::uint64_t seed, const std::string& update) {
  return {.seed = seed,
          .of_workload = {{"keys_per_transaction", "1"}, {"records", "4"}, {"update", update}},
          .of_system = {{"prism.without", without}}};
}

class KvWithoutTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Extensions, KvWithoutTest,
                         ::testing::Values("indirection", "allocation", "cas", "chaining"),
                         [](const auto& extension) { return extension.param; });

TEST_P(KvWithoutTest, UpdatesThatReadAreOneStep) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto result = run_kv(few_records(GetParam(), seed, "change"));
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << seed;
  }
}

TEST_P(KvWithoutTest, WhatIsOverwrittenAtOnceCountsAsWritten) {
  std::uint64_t overwritten = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto result = run_kv(few_records(GetParam(), seed, "replace"));
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    overwritten += counted(result, "overwritten_at_once");
  }
  EXPECT_GT(overwritten, 20U);
}

TEST_P(KvWithoutTest, MessagesMayBeLost) {
  for (std::uint64_t seed = 101; seed <= 140; ++seed) {
    KvRun run = few_records(GetParam(), seed, seed % 2 == 0 ? "change" : "replace");
    run.loss = "0.02";
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

TEST_P(KvWithoutTest, KeysComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto result = run_kv({.workload = "stress",
                                .seed = seed,
                                .of_workload = {{"records", "1"},
                                                {"keys_per_node", "12"},
                                                {"new_records", "6"},
                                                {"insert_percent", "30"},
                                                {"erase_percent", "25"}},
                                .of_system = {{"prism.without", GetParam()}}});
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

// One spare buffer for each client: buffers are used again as soon as they may be, and run short.
TEST_P(KvWithoutTest, NoReaderSeesABufferThatIsUsedAgain) {
  std::uint64_t lacking = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    KvRun run = few_records(GetParam(), seed, "change");
    run.of_system.emplace_back("prism.spares", "1");
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
    lacking += result.metrics.aborted[static_cast<std::size_t>(txn::kv::Abort::kNoBuffer)];
  }
  EXPECT_GT(lacking, 10U);
}

// Nobody finds its buffers, which are no more than it can have had.
TEST_P(KvWithoutTest, OthersGoOnWithoutAClientThatStops) {
  constexpr NodeId kClient{2};  // of two
  for (const char* point : {"kv: install sent", "kv: install answered"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Crash dies(kClient, point, 20 + seed);
      KvRun run = few_records(GetParam(), seed, seed % 2 == 0 ? "change" : "replace");
      const Settings soon = found_soon();
      run.of_system.insert(run.of_system.end(), soon.begin(), soon.end());
      run.duration = kSecond;
      run.max_transactions = 50;
      run.notify_window = 1;
      run.crashes = {&dies};
      const auto result = run_kv(run);
      EXPECT_TRUE(dies.happened()) << "seed " << seed;
      EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
      EXPECT_EQ(result.lost, std::vector<NodeId>{kClient}) << "seed " << seed;
    }
  }
}

// Cores are interrupted for as long as others take to replace what a client has looked up, and to
// have the same buffer again.
TEST(KvWithoutCas, ABufferThatIsInItsSlotAgainIsNotTakenForTheObjectBefore) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    KvRun run = few_records("cas", seed, "change");
    run.of_workload[1].second = "1";
    run.of_system.emplace_back("prism.spares", "1");
    run.of_fabric = {{"fabric.chaos_preempt", "0.01"},
                     {"fabric.chaos_interrupt_ns", "100000"},
                     {"fabric.chaos_meet", "0"}};
    run.duration = 4 * kMillisecond;
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
  }
}

TEST(KvWithout, ObjectsThatWereReplacedMeanwhileAreReadAgain) {
  for (const char* without : {"indirection", "cas"}) {
    std::uint64_t again = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      again += counted(run_kv(few_records(without, seed, "change")), "rereads");
    }
    EXPECT_GT(again, 20U) << without;
  }
}

}  // namespace
}  // namespace verbena::testing
