// A system of another kind than the product's runs its workloads by the same run and the same
// checks: memory nodes apart from compute nodes, with other numbers of workers.
#include "tests/toy_system/partition_locks.h"

#include <gtest/gtest.h>

#include <string>

#include "experiments/report/json_report.h"
#include "experiments/report/report.h"
#include "experiments/report/run_report.h"
#include "experiments/report/table_report.h"
#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

constexpr std::uint32_t kNodes = 4;
constexpr std::uint32_t kWorkers = 2;  // of a compute node

struct LockedRun {
  std::string workload;
  std::uint64_t seed = 1;
  bool chaos = false;
  PartitionLocks::Options system = {.memory_nodes = 2, .memory_workers = 1};
};

workloads::RunResult run(const LockedRun& asked) {
  const FabricShape shape{
      .nodes = kNodes, .workers = kWorkers, .seed = asked.seed, .chaos = asked.chaos};
  const auto fabric = make_fabric(shape);
  const auto factory = workloads::workload_factory(asked.workload);
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  const PartitionLocks system(asked.system);
  const std::uint32_t partitions = system.place({.nodes = kNodes, .replicas = 1}).partitions();
  const auto workload = factory->make({.partitions = partitions, .workers = kWorkers});
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = by_fabric(4U, 2U);
  options.replicas = 1;
  options.duration = by_fabric(2 * kMillisecond, 60 * kSecond);
  options.max_transactions = by_fabric(0, 20);
  options.seed = asked.seed;
  options.record_history = true;
  return workloads::ClusterRun(*fabric, *workload, system, options).run();
}

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? result.history_error : result.verification.errors[0];
}

class PartitionLocksTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Workloads, PartitionLocksTest, ::testing::Values("smallbank", "ycsb"));

TEST_P(PartitionLocksTest, KeepWorkloadsStrictlySerializable) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result = run({.workload = GetParam(), .seed = seed, .chaos = !on_hardware()});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 50U) << "seed " << seed;
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << seed;
  }
}

TEST_P(PartitionLocksTest, AreFoundOutWithoutTheirLock) {
  if (on_hardware()) GTEST_SKIP() << "whether transactions meet is chance there";
  std::uint64_t by_totals = 0;
  std::uint64_t by_history = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto result = run({.workload = GetParam(),
                             .seed = seed,
                             .chaos = true,
                             .system = {.memory_nodes = 2, .memory_workers = 1, .locks = false}});
    EXPECT_GT(result.committed_total, 50U) << "seed " << seed;
    if (!result.verification.ok()) ++by_totals;
    if (!result.history_error.empty()) ++by_history;
  }
  EXPECT_GT(by_totals, 0U);
  EXPECT_GT(by_history, 0U);
}

TEST(PartitionLocks, CountByTheirOwnNames) {
  const auto result = run({.workload = "smallbank"});
  EXPECT_EQ(result.system.name, "partition-locks");
  ASSERT_EQ(result.metrics.aborted.size(), 2U);
  EXPECT_GT(result.metrics.committed, 0U);
  EXPECT_EQ(result.metrics.phases.size(), 0U);
}

TEST(PartitionLocks, AreReportedLikeAnySystem) {
  auto result = run({.workload = "smallbank"});
  experiments::Report report;
  report.verdict = experiments::verdict_of(result, true);
  report.measurements.push_back(experiments::measurement_of("toy", result));
  EXPECT_TRUE(report.passed());
  EXPECT_NE(report.verdict->summary.find("strict serializability"), std::string::npos);
  const std::string table = experiments::table_text(report);
  const std::string document = experiments::json_document(report);
  for (const std::string& text : {table, document}) {
    EXPECT_NE(text.find("partition_locked"), std::string::npos) << text;
    EXPECT_EQ(text.find("validate"), std::string::npos) << "phases of another system: " << text;
  }
}

TEST(PartitionLocks, RefuseWorkloadsThatNeedWhatTheyLack) {
  EXPECT_THROW(run({.workload = "tpcc"}), ConfigurationError);
  EXPECT_THROW(run({.workload = "tatp"}), ConfigurationError);
}

}  // namespace
}  // namespace verbena::testing
