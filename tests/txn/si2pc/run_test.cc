// Workloads on partitions with two-phase commit, verified for snapshot isolation.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "txn/si2pc/system.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

struct PartitionsRun {
  std::string workload;
  std::uint64_t seed = 1;
  bool chaos = true;
  std::string loss = "0";
  std::uint32_t counter_workers = 0;
  txn::si2pc::NodeOptions node = {};
  std::uint32_t nodes = 4;
  std::uint64_t max_transactions = 0;  // in simulation; 0: as many as fit
  std::string jitter_ns = "";
  std::function<void(rdma::RpcOptions&)> change_rpc = {};
};

workloads::RunResult run_partitions(const PartitionsRun& asked) {
  constexpr std::uint32_t kWorkers = 2;
  FabricShape shape{.nodes = asked.nodes, .workers = kWorkers, .seed = asked.seed};
  shape.chaos = asked.chaos && !on_hardware();
  if (!on_hardware()) shape.overrides = {{"fabric.ud_loss", asked.loss}};
  if (!asked.jitter_ns.empty()) shape.overrides["fabric.chaos_jitter_ns"] = asked.jitter_ns;
  const txn::si2pc::System system({.name = "si-2pc",
                                   .description = "a test's",
                                   .source = "a test",
                                   .counter_workers = asked.counter_workers,
                                   .node = asked.node});
  const std::uint32_t partitions = shape.nodes - 1;
  const auto factory = workloads::workload_factory(asked.workload);
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, name == "warehouses" ? std::to_string(partitions) : value);
  }
  const auto workload = factory->make({.partitions = partitions, .workers = kWorkers});
  const auto fabric = make_fabric(shape);
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  if (asked.change_rpc) asked.change_rpc(options.endpoint.rpc);
  options.seed = asked.seed;
  options.replicas = 1;
  options.fibers = by_fabric(4U, 2U);
  options.duration = by_fabric(kMillisecond, 60 * kSecond);
  options.max_transactions = by_fabric(asked.max_transactions, std::uint64_t{20});
  options.patience = by_fabric(0 * kSecond, 20 * kSecond);
  options.check_history = true;
  return workloads::ClusterRun(*fabric, *workload, system, options).run();
}

std::string what_is_wrong(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? anomaly_text(result.anomaly) : result.verification.errors[0];
}

class Si2pcRunTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Workloads, Si2pcRunTest,
                         ::testing::Values("smallbank", "stress", "tatp", "tpcc", "tpce-cp",
                                           "ycsb"));

TEST_P(Si2pcRunTest, KeepsSnapshotIsolation) {
  if (on_hardware() && GetParam() == "tpce-cp") {
    GTEST_SKIP() << "it only reads, and its tables take long to fill: NAM-DB runs it there";
  }
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result = run_partitions({.workload = GetParam(), .seed = seed});
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 10U) << "seed " << seed;
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << seed;
  }
}

TEST_P(Si2pcRunTest, KeepsSnapshotIsolationWhereMessagesAreLost) {
  if (on_hardware()) GTEST_SKIP() << "faults are those of the simulated fabric";
  for (std::uint64_t seed = 21; seed <= 30; ++seed) {
    const auto result = run_partitions({.workload = GetParam(), .seed = seed, .loss = "0.01"});
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
  }
}

// Erased records are taken out while others look for them, and few old versions are kept.
TEST(Si2pcRun, KeepsSnapshotIsolationWhereEntriesAreUsedAgain) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result = run_partitions(
        {.workload = "stress",
         .seed = seed,
         .counter_workers = 1,
         .node = {.versions = 1,
                  .longest_transaction = by_fabric(200 * kMicrosecond, 500 * kMillisecond)}});
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 10U) << "seed " << seed;
  }
}

// All streams wait for the snapshot that holds their own last commit; the message that an earlier
// one is finished still finds a buffer at the counter server, of few.
TEST(Si2pcRun, EndsWhereTheCounterServerHasFewReceiveBuffers) {
  if (on_hardware())
    GTEST_SKIP() << "jitter, and time-outs of 50 us, are those of the simulated fabric";
  const auto few_buffers = [](rdma::RpcOptions& rpc) {
    rpc.receive_depth = 4;
    rpc.receive_batch = 2;
    rpc.timeout = 50 * kMicrosecond;
    rpc.max_timeout = 10 * kMillisecond;
    rpc.retries = 30;
    rpc.ack_delay = 0;
  };
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto result = run_partitions({.workload = "tatp",
                                        .seed = seed,
                                        .nodes = 3,
                                        .max_transactions = 14,
                                        .jitter_ns = "10000",
                                        .change_rpc = few_buffers});
    EXPECT_EQ(what_is_wrong(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 50U) << "seed " << seed;
  }
}

TEST(Si2pcRun, RefusesALongestTransactionThatTransactionsCannotKeep) {
  if (on_hardware()) GTEST_SKIP() << "how long transactions take there is not known";
  std::string refused;
  try {
    run_partitions({.workload = "tpcc", .node = {.longest_transaction = 10 * kMicrosecond}});
  } catch (const ConfigurationError& error) {
    refused = error.what();
  }
  EXPECT_EQ(refused.find("si2pc.longest_transaction 10us; allowed is more than "), 0U) << refused;
}

TEST(Si2pcRun, PromisesSnapshotIsolation) {
  EXPECT_EQ(txn::load_system("si-2pc")->info().isolation, txn::Isolation::kSnapshotIsolation);
}

TEST(Si2pcRun, RefusesShapesThatCannotWork) {
  const auto system = txn::load_system("si-2pc");
  const auto error = [&](const txn::ClusterShape& shape) -> std::string {
    try {
      system->place(shape);
    } catch (const ConfigurationError& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(error({.nodes = 1, .replicas = 1}),
            "nodes 1; system 'si-2pc' needs 2: for a partition, and for timestamps");
  EXPECT_EQ(error({.nodes = 3, .replicas = 2}),
            "replicas 2; system 'si-2pc' keeps 1 copy of each record");
  EXPECT_EQ(error({.nodes = 2, .replicas = 1}), "");
}

TEST(Si2pcRun, TheCounterServerHasNoMoreThreadsThanOthers) {
  const auto system = txn::load_system("si-2pc");
  set_parameter(*system, "counter_workers", "3");
  const txn::Deployment deployment{
      .schema = {}, .limits = {}, .view = system->place({.nodes = 3, .replicas = 1}), .fibers = 1};
  rdma::EndpointOptions options;
  options.workers = 2;
  try {
    static_cast<void>(system->endpoint(options, deployment, static_cast<NodeId>(0)));
    FAIL() << "more threads than cores";
  } catch (const ConfigurationError& refused) {
    EXPECT_STREQ(refused.what(),
                 "si2pc.counter_workers 3; allowed are at most as many as --threads 2");
  }
}

TEST(Si2pcRun, PlacesAPartitionOnEachNodeButTheLast) {
  const txn::View view = txn::load_system("si-2pc")->place({.nodes = 4, .replicas = 1});
  EXPECT_EQ(view.partitions(), 3U);
  for (std::uint16_t n = 0; n < 3; ++n) {
    EXPECT_EQ(view.role(static_cast<NodeId>(n)), txn::Role::kBoth);
    EXPECT_EQ(view.primary(static_cast<txn::PartitionId>(n)), static_cast<NodeId>(n));
  }
  EXPECT_EQ(view.role(static_cast<NodeId>(3)), txn::Role::kOracle);
}

}  // namespace
}  // namespace verbena::testing
