// Every system runs YCSB's core workloads A to F, in transactions of one and of several keys, and
// leaves every record as its changes make it, also when datagrams are lost.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/workloads/run/small_run.h"

namespace verbena::workloads {
namespace {

class CoresTest : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  static testing::SmallRun run_of(const std::string& keys) {
    const auto& [plan, core] = GetParam();
    return {.plan = txn::plan_preset(plan),
            .workload = "ycsb",
            .parameters = {{"core", core}, {"keys_per_transaction", keys}}};
  }

  // Kinds of transactions that a core workload has.
  static bool has(const std::string& kind) {
    const std::string& core = std::get<1>(GetParam());
    if (kind == "read") return core != "E";
    if (kind == "update") return core == "A" || core == "B";
    if (kind == "insert") return core == "D" || core == "E";
    if (kind == "scan") return core == "E";
    return kind == "read_modify_write" && core == "F";
  }
};

std::string test_name(const ::testing::TestParamInfo<CoresTest::ParamType>& info) {
  std::string name = std::get<0>(info.param) + "_runs_" + std::get<1>(info.param);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, CoresTest,
                         ::testing::Combine(::testing::ValuesIn(txn::plan_names()),
                                            ::testing::Values("A", "B", "C", "D", "E", "F")),
                         test_name);

TEST_P(CoresTest, CommitsItsOperationsAndLeavesEverythingInOrder) {
  const auto& [plan, core] = GetParam();
  if (testing::on_hardware() && plan != "drtmh" && plan != "fasst" && core != "A" && core != "E") {
    GTEST_SKIP() << "the emulated device is slow: drtmh and fasst run it there";
  }
  const RunResult result = testing::run_small(run_of("1"));
  EXPECT_EQ(testing::first_error(result), "");
  EXPECT_GT(result.committed_total, 20U);
  EXPECT_GT(result.verification.records_checked, 0U);
  if (testing::on_hardware()) return;
  for (const auto& [kind, committed] : result.committed_by_kind) {
    EXPECT_EQ(committed > 0, has(kind)) << kind;
  }
}

TEST_P(CoresTest, SurvivesChaosAndLostDatagrams) {
  if (testing::on_hardware()) GTEST_SKIP() << "faults are those of the simulated fabric";
  for (std::uint64_t seed = 11; seed <= 15; ++seed) {
    testing::SmallRun run = run_of(seed % 2 == 0 ? "1" : "4");
    run.seed = seed;
    run.ud_loss = seed % 3 == 0 ? 0.03 : 0.005;
    run.chaos = true;
    run.duration = kMillisecond;
    const RunResult result = testing::run_small(run);
    EXPECT_EQ(testing::first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace verbena::workloads
