// Audits happen in the midst of runs, commit, and find nothing wrong, whatever the primitives.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/workloads/run/small_run.h"

namespace verbena::workloads {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

class AuditsTest : public ::testing::TestWithParam<std::string> {
 protected:
  static void expect_audits(const std::string& workload, const Parameters& parameters) {
    // An audit that meets others all the time may not come to an end in a short run.
    std::uint64_t audits = 0;
    int seeds_without = 0;
    for (std::uint64_t seed = 1; seed <= testing::by_fabric(8U, 1U); ++seed) {
      const RunResult result = testing::run_small({.plan = txn::plan_preset(GetParam()),
                                                   .workload = workload,
                                                   .seed = seed,
                                                   .chaos = !testing::on_hardware(),
                                                   .parameters = parameters});
      EXPECT_EQ(testing::first_error(result), "") << "seed " << seed;
      if (testing::on_hardware()) continue;
      const std::uint64_t audits_of_seed = result.committed_by_kind.at("audit");
      audits += audits_of_seed;
      seeds_without += audits_of_seed == 0 ? 1 : 0;
      EXPECT_GT(result.committed_total, audits_of_seed) << "seed " << seed;
    }
    if (!testing::on_hardware()) {
      EXPECT_GT(audits, 20U);
      EXPECT_LE(seeds_without, 1);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Plans, AuditsTest, ::testing::Values("drtmh", "fasst", "farm"));

TEST_P(AuditsTest, SumUpAllAccountsOfSmallBank) {
  // On a slow device audits that meet others all the time take long.
  expect_audits("smallbank",
                {{"accounts_per_worker", "25"}, {"audit_percent", testing::by_fabric("60", "10")}});
}

TEST_P(AuditsTest, CompareWarehousesWithTheirDistricts) {
  expect_audits("tpcc", {{"audit_percent", "20"}});
}

TEST(Audits, AreNoneOfNewOrdersOnly) {
  EXPECT_THROW(testing::run_small({.workload = "tpcc-no", .parameters = {{"audit_percent", "20"}}}),
               ConfigurationError);
}

}  // namespace
}  // namespace verbena::workloads
