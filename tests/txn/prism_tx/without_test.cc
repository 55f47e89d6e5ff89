// PRISM-TX where NICs lack one of PRISM's extensions: what commits has to be serializable all the
// same.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/crash.h"
#include "tests/txn/kv/kv_run.h"

namespace verbena::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Four records for all, three of which a transaction accesses.
KvRun few_records(const Settings& of_system, std::uint64_t seed, const std::string& update) {
  return {.system = "prism-tx",
          .seed = seed,
          .nodes = 4,
          .of_workload = {{"keys_per_transaction", "3"}, {"records", "4"}, {"update", update}},
          .of_system = of_system};
}

class TxWithoutTest : public ::testing::TestWithParam<Settings> {};

INSTANTIATE_TEST_SUITE_P(
    Extensions, TxWithoutTest,
    ::testing::Values(Settings{{"prism.without", "indirection"}},
                      Settings{{"prism.without", "indirection"}, {"tx.prepare", "pipelined"}},
                      Settings{{"prism.without", "allocation"}},
                      Settings{{"prism.without", "allocation"}, {"tx.merge_rmw", "true"}},
                      Settings{{"prism.without", "chaining"}},
                      Settings{{"prism.without", "chaining"},
                               {"tx.prepare", "pipelined"},
                               {"tx.merge_rmw", "true"}}));

TEST_P(TxWithoutTest, TransactionsThatReadWhatTheyWriteAreSerializable) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    KvRun run = few_records(GetParam(), seed, "change");
    run.duration = 8 * kMillisecond;  // most attempts are given up
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

TEST_P(TxWithoutTest, TransactionsThatDoNotAreToo) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto result = run_kv(few_records(GetParam(), seed, "replace"));
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

TEST_P(TxWithoutTest, KeysComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto result = run_kv({.system = "prism-tx",
                                .workload = "stress",
                                .seed = seed,
                                .of_workload = {{"keys_per_node", "12"},
                                                {"new_records", "6"},
                                                {"insert_percent", "30"},
                                                {"erase_percent", "25"}},
                                .of_system = GetParam()});
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

TEST_P(TxWithoutTest, MessagesMayBeLost) {
  for (std::uint64_t seed = 101; seed <= 110; ++seed) {
    KvRun run = few_records(GetParam(), seed, "replace");
    run.loss = "0.02";
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

// One spare buffer for each client: buffers are used again as soon as they may be.
TEST_P(TxWithoutTest, NoReaderSeesABufferThatIsUsedAgain) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    KvRun run = few_records(GetParam(), seed, "replace");
    run.of_system.emplace_back("prism.spares", "1");
    run.of_workload[1].second = "64";  // so that many transactions commit at once
    const auto result = run_kv(run);
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

TEST_P(TxWithoutTest, OthersGoOnWithoutAClientThatStops) {
  constexpr NodeId kClient{3};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Crash dies(kClient, "prism_tx: attempt installed", 10 + seed);
    KvRun run = few_records(GetParam(), seed, "replace");
    const Settings soon = found_soon();
    run.of_system.insert(run.of_system.end(), soon.begin(), soon.end());
    run.duration = kSecond;
    run.max_transactions = 40;
    run.crashes = {&dies};
    const auto result = run_kv(run);
    EXPECT_TRUE(dies.happened()) << "seed " << seed;
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_EQ(result.lost, std::vector<NodeId>{kClient}) << "seed " << seed;
  }
}

TEST(TxWithout, ComparisonsOfTwoTimestampsAreNeeded) {
  EXPECT_EQ(refusal({.system = "prism-tx", .of_system = {{"prism.without", "cas"}}}),
            "prism.without=cas; system 'prism-tx' compares two timestamps at once, by which is "
            "later: allowed are nothing, indirection, allocation and chaining");
}

TEST(TxWithout, AReadIsValidatedBeforeItsWrite) {
  EXPECT_EQ(refusal({.system = "prism-tx",
                     .of_system = {{"prism.without", "chaining"}, {"tx.prepare", "pipelined"}}}),
            "prism.without=chaining with tx.prepare=pipelined; a record's read has to be validated "
            "before its write: allowed are tx.prepare=sequential and tx.merge_rmw=true");
}

}  // namespace
}  // namespace verbena::testing
