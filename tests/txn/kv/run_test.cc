// Key-value stores under contention, each record of which has to be linearizable.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "tests/support/test_fabric.h"
#include "tests/txn/kv/kv_run.h"
#include "txn/kv/measures.h"

namespace verbena::testing {
namespace {

/// Four records for all.
KvRun few_records(const std::string& system, std::uint64_t seed) {
  return {.system = system,
          .seed = seed,
          .of_workload = {{"keys_per_transaction", "1"},
                          {"records", "4"},
                          {"update", system == "pilaf" ? "replace" : "change"}}};
}

class KvRunTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Stores, KvRunTest, ::testing::Values("pilaf", "prism-kv"));

TEST_P(KvRunTest, EachRecordIsLinearizable) {
  for (std::uint64_t seed = 1; seed <= by_fabric(50U, 1U); ++seed) {
    const auto result = run_kv(few_records(GetParam(), seed));
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << seed;
  }
}

TEST_P(KvRunTest, EachRecordIsLinearizableWhereMessagesAreLost) {
  if (on_hardware()) GTEST_SKIP() << "faults are those of the simulated fabric";
  for (std::uint64_t seed = 101; seed <= 300; ++seed) {
    KvRun run = few_records(GetParam(), seed);
    run.loss = "0.02";
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

// Blind PUTs, one record.
TEST(PrismKvRun, OverwrittenAtOnceIsAsGoodAsWritten) {
  std::uint64_t overwritten = 0;
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result = run_kv(
        {.seed = seed,
         .of_workload = {{"keys_per_transaction", "1"}, {"records", "1"}, {"update", "replace"}}});
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    overwritten += counted(result, "overwritten_at_once");
  }
  if (!on_hardware()) {
    EXPECT_GT(overwritten, 100U);
  }
}

// Inserts, erasures, updates, and reads of what is absent, of one record each.
TEST(PrismKvRun, KeysComeAndGo) {
  for (std::uint64_t seed = 1; seed <= by_fabric(40U, 1U); ++seed) {
    const auto result = run_kv({.workload = "stress",
                                .seed = seed,
                                .of_workload = {{"records", "1"},
                                                {"keys_per_node", "12"},
                                                {"new_records", "6"},
                                                {"insert_percent", "30"},
                                                {"erase_percent", "25"}}});
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

// One spare buffer for each client: buffers are used again as soon as they may be, and run short.
TEST(PrismKvRun, NoReaderSeesABufferThatIsUsedAgain) {
  std::uint64_t lacking = 0;
  for (std::uint64_t seed = 1; seed <= by_fabric(100U, 1U); ++seed) {
    KvRun run = few_records("prism-kv", seed);
    run.of_system = {{"prism.spares", "1"}};
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
    lacking += result.metrics.aborted[static_cast<std::size_t>(txn::kv::Abort::kNoBuffer)];
  }
  if (!on_hardware()) {
    EXPECT_GT(lacking, 100U);
  }
}

TEST(PilafRun, ReadsAgainWhatIsTorn) {
  if (on_hardware()) GTEST_SKIP() << "how CPUs and NICs meet there is not known";
  std::uint64_t again = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    KvRun run = few_records("pilaf", seed);
    run.of_system = {{"pilaf.spare_extents", "1"}};
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    again += counted(result, "rereads");
  }
  EXPECT_GT(again, 20U);
}

TEST(KvRun, TransactionsOfSeveralRecordsAreRefused) {
  EXPECT_EQ(refusal({.of_workload = {{"keys_per_transaction", "3"}}}),
            "workload ycsb has transactions of up to 3 records; system 'prism-kv' takes one at a "
            "time: allowed are workloads of one record, as ycsb is with "
            "workload.keys_per_transaction=1");
}

TEST(KvRun, UpdatesOfWhatWasReadAreRefusedWhereTheyAreTwoSteps) {
  EXPECT_EQ(
      refusal({.system = "pilaf",
               .of_workload = {{"keys_per_transaction", "1"}, {"update", "change"}}}),
      "workload ycsb reads records and then writes them in one step, which system 'pilaf' cannot");
}

TEST(KvRun, ClustersWithoutClientsAreRefused) {
  EXPECT_EQ(refusal({.nodes = 3, .of_system = {{"prism.servers", "3"}}}),
            "prism.servers 3; allowed are at most 2 of 3 nodes");
}

}  // namespace
}  // namespace verbena::testing
