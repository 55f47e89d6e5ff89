// Systems of optimistic concurrency control with servers apart from clients: as serializable as
// with both on each node.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "rdma/base/errors.h"
#include "tests/workloads/run/small_run.h"
#include "txn/occ/system.h"
#include "txn/view.h"

namespace verbena::workloads {
namespace {

using Parameters = decltype(testing::SmallRun::parameters);

class ServersApartTest : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

std::string test_name(const ::testing::TestParamInfo<ServersApartTest::ParamType>& info) {
  std::string name = std::get<0>(info.param) + "_runs_" + std::get<1>(info.param);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ServersApartTest,
                         ::testing::Combine(::testing::Values("drtmh", "farm", "fasst-occ"),
                                            ::testing::Values("smallbank", "stress", "tpcc-no",
                                                              "ycsb")),
                         test_name);

TEST_P(ServersApartTest, CommitConflictAndLeaveEverythingInOrder) {
  const auto& [plan, workload] = GetParam();
  if (testing::on_hardware() && workload != "smallbank") {
    GTEST_SKIP() << "the emulated device is slow: smallbank runs there, all four in simulations";
  }
  for (std::uint64_t seed = 1; seed <= testing::by_fabric(6U, 1U); ++seed) {
    const std::uint32_t servers = 1 + seed % 3;
    const RunResult result = testing::run_small(
        {.plan = txn::plan_preset(plan),
         .workload = workload,
         .seed = seed,
         .ud_loss = seed == 1 ? 0 : 0.01,
         .chaos = !testing::on_hardware() && seed > 2,
         .nodes = 5,
         .servers = servers,
         .parameters = workload == "tpcc-no" ? Parameters{{"warehouses", "6"}} : Parameters{}});
    EXPECT_EQ(testing::first_error(result), "") << "seed " << seed;
    EXPECT_EQ(result.computing_nodes, 5 - servers);
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
    if (!testing::on_hardware()) {
      EXPECT_GT(testing::conflicts(result), 0U) << "seed " << seed;
    }
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << seed;
  }
}

TEST(ServersApart, MayHaveOtherThreadsThanClients) {
  for (const txn::ApartWorkers& workers :
       {txn::ApartWorkers{.of_server = 2, .of_client = 1}, {.of_server = 1, .of_client = 2}}) {
    for (const char* plan : {"farm", "fasst-occ"}) {
      const RunResult result = testing::run_small(
          {.plan = txn::plan_preset(plan), .nodes = 4, .servers = 1, .workers = workers});
      EXPECT_EQ(testing::first_error(result), "") << plan;
      EXPECT_GT(result.committed_total, 20U) << plan;
    }
  }
}

/// READs of a transaction that reads a record, its bucket first, and writes it.
double reads_of_an_update(bool validate_written) {
  txn::Plan plan = txn::plan_preset("farm");
  plan.validate_written = validate_written;
  const RunResult result = testing::run_small({.plan = plan,
                                               .workload = "ycsb",
                                               .ud_loss = 0,
                                               .nodes = 4,
                                               .servers = 1,
                                               .parameters = {{"core", "F"},
                                                              {"read_percent", "0"},
                                                              {"read_modify_write_percent", "100"},
                                                              {"distribution", "uniform"},
                                                              {"records", "20000"},
                                                              {"keys_per_transaction", "1"}}});
  EXPECT_EQ(testing::first_error(result), "");
  return static_cast<double>(result.nic_counters.at("verbs.read")) /
         static_cast<double>(result.metrics.committed);
}

TEST(ServersApart, ReadWhatTheyHaveLockedAgainIfAskedTo) {
  if (testing::on_hardware()) {
    GTEST_SKIP() << "NICs of hardware do not count requests: this test sees it on the simulation";
  }
  EXPECT_NEAR(reads_of_an_update(false), 2, 0.04);
  EXPECT_NEAR(reads_of_an_update(true), 3, 0.06);
}

txn::View placed(std::uint32_t servers, const txn::ClusterShape& shape) {
  return txn::occ::System({{.plan = txn::plan_preset("farm"), .servers = servers}}).place(shape);
}

TEST(ServersApart, AreTheFirstNodes) {
  EXPECT_EQ(placed(2, {.nodes = 6, .replicas = 1}), txn::View::apart(6, 2));
  EXPECT_EQ(placed(0, {.nodes = 6, .replicas = 3}), txn::View::ring({.nodes = 6, .replicas = 3}));
}

TEST(ServersApart, AreRefusedWithReplicasAndWithoutClients) {
  EXPECT_THROW(placed(2, {.nodes = 6, .replicas = 2}), ConfigurationError);
  EXPECT_THROW(placed(6, {.nodes = 6, .replicas = 1}), ConfigurationError);
}

TEST(ServersApart, MakeASystemThatDoesNotReplicate) {
  const txn::Plan plan = txn::plan_preset("farm");
  EXPECT_TRUE(txn::occ::System({{.plan = plan}}).info().replicates);
  EXPECT_FALSE(txn::occ::System({{.plan = plan, .servers = 1}}).info().replicates);
}

}  // namespace
}  // namespace verbena::workloads
