// TPC-C's full mix holds its consistency conditions on many schedules, and on some of them does not
// where transactions are not validated.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

#include "tests/workloads/run/small_run.h"

namespace verbena::workloads {
namespace {

constexpr std::uint64_t kSeeds = 50;
const std::array<std::string, 5> kPlans = {"drtmh", "farm", "drtmr", "fasst-occ", "fasst"};

TEST(TpccSeeds, TheFullMixIsConsistentAndSerializable) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::string& plan = kPlans[seed % kPlans.size()];
    const RunResult result = testing::run_small({.plan = txn::plan_preset(plan),
                                                 .workload = "tpcc",
                                                 .seed = seed,
                                                 .ud_loss = 0.02,
                                                 .duration = 6 * kMillisecond});
    EXPECT_EQ(testing::first_error(result), "") << plan << ", seed " << seed;
    EXPECT_EQ(result.committed_by_kind.size(), 5U);
    for (const auto& [kind, committed] : result.committed_by_kind) {
      EXPECT_GT(committed, 0U) << kind << " on " << plan << ", seed " << seed;
    }
  }
}

TEST(TpccSeeds, SoItIsWhenAllLinesAndPaymentsAreRemote) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::string& plan = kPlans[seed % kPlans.size()];
    const RunResult result = testing::run_small({.plan = txn::plan_preset(plan),
                                                 .workload = "tpcc",
                                                 .seed = seed,
                                                 .ud_loss = 0.01,
                                                 .parameters = {{"remote_percent", "100"}}});
    EXPECT_EQ(testing::first_error(result), "") << plan << ", seed " << seed;
    EXPECT_GT(result.committed_total, 50U) << plan << ", seed " << seed;
  }
}

TEST(TpccSeeds, SoItIsWithWholeRecordsAndSkewedItems) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string& plan = kPlans[seed % kPlans.size()];
    const RunResult result = testing::run_small({.plan = txn::plan_preset(plan),
                                                 .workload = "tpcc",
                                                 .seed = seed,
                                                 .duration = 4 * kMillisecond,
                                                 .parameters = {{"whole_records", "true"},
                                                                {"item_distribution", "zipfian"},
                                                                {"item_zipf_coefficient", "2"}}});
    EXPECT_EQ(testing::first_error(result), "") << plan << ", seed " << seed;
    EXPECT_GT(result.committed_total, 50U) << plan << ", seed " << seed;
  }
}

// Tells what is wrong with such a run. A message that its nodes cannot apply ends it.
std::string error_of(const testing::SmallRun& run) {
  try {
    return testing::first_error(testing::run_small(run));
  } catch (const std::logic_error& error) {
    return error.what();
  }
}

// The first error that is found in a workload's runs without validation, on any of kSeeds.
std::string found_out(const std::string& workload) {
  txn::Plan plan = txn::plan_preset("drtmh");
  plan.skip_validation_for_test = true;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::string error = error_of(
        {.plan = plan, .workload = workload, .seed = seed, .ud_loss = 0, .duration = kMillisecond});
    if (!error.empty()) return error;
  }
  return "";
}

TEST(TpccSeeds, RunsWithoutValidationAreFoundOut) {
  for (const std::string& workload : workload_names()) {
    EXPECT_NE(found_out(workload), "") << workload;
  }
}

}  // namespace
}  // namespace verbena::workloads
