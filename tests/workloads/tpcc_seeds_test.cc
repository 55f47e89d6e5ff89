// TPC-C's full mix holds its consistency conditions on many schedules, and on some of them does not
// where transactions are not validated.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/workloads/small_run.h"

namespace verbena::workloads {
namespace {

constexpr std::uint64_t kSeeds = 50;
const std::array<std::string, 5> kPlans = {"drtmh", "farm", "drtmr", "fasst-occ", "fasst"};

TEST(TpccSeeds, TheFullMixIsConsistentAndSerializable) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::string& plan = kPlans[seed % kPlans.size()];
    const RunResult result = testing::run_small(
        {.plan = txn::plan_preset(plan), .workload = "tpcc", .seed = seed, .ud_loss = 0.02});
    EXPECT_EQ(testing::first_error(result), "") << plan << ", seed " << seed;
    EXPECT_EQ(result.committed_by_kind.size(), 5U);
    for (const auto& [kind, committed] : result.committed_by_kind) {
      EXPECT_GT(committed, 0U) << kind << " on " << plan << ", seed " << seed;
    }
  }
}

// Seeds out of kSeeds on which a workload's run without validation is found out.
std::uint64_t found_out(const std::string& workload) {
  txn::Plan plan = txn::plan_preset("drtmh");
  plan.skip_validation_for_test = true;
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RunResult result = testing::run_small({.plan = plan,
                                                 .workload = workload,
                                                 .seed = seed,
                                                 .ud_loss = 0,
                                                 .duration = rdma::kMillisecond});
    found += testing::first_error(result).empty() ? 0 : 1;
    if (found > 0) break;
  }
  return found;
}

TEST(TpccSeeds, RunsWithoutValidationAreFoundOut) {
  for (const std::string& workload : workload_names()) {
    EXPECT_GT(found_out(workload), 0U) << workload;
  }
}

}  // namespace
}  // namespace verbena::workloads
