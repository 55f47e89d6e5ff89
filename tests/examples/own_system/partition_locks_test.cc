// A system of another kind than the product's runs its workloads by the same run and the same
// checks: memory nodes apart from compute nodes, with other numbers of workers.
#include "tests/examples/own_system/partition_locks.h"

#include <gtest/gtest.h>

#include <string>

#include "experiments/report/json_report.h"
#include "experiments/report/result/report.h"
#include "experiments/report/run_report.h"
#include "experiments/report/text/table_report.h"
#include "rdma/base/errors.h"
#include "tests/examples/own_system/locked_run.h"
#include "tests/support/test_fabric.h"

namespace verbena::testing {
namespace {

using Timestamps = PartitionLocks::Timestamps;

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? anomaly_text(result.anomaly) : result.verification.errors[0];
}

class PartitionLocksTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Workloads, PartitionLocksTest, ::testing::Values("smallbank", "ycsb"));

TEST_P(PartitionLocksTest, KeepWorkloadsStrictlySerializable) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result = run_locked({.workload = GetParam(), .seed = seed, .chaos = !on_hardware()});
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
    const auto result =
        run_locked({.workload = GetParam(),
                    .seed = seed,
                    .chaos = true,
                    .system = {.memory_nodes = 2, .memory_workers = 1, .locks = false}});
    EXPECT_GT(result.committed_total, 50U) << "seed " << seed;
    if (!result.verification.ok()) ++by_totals;
    if (result.anomaly) ++by_history;
  }
  EXPECT_GT(by_totals, 0U);
  EXPECT_GT(by_history, 0U);
}

TEST_P(PartitionLocksTest, KeepTheOrderOfTimestampsThatAreTakenWhileLocked) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result = run_locked(
        {.workload = GetParam(),
         .seed = seed,
         .chaos = !on_hardware(),
         .system = {
             .memory_nodes = 2, .memory_workers = 1, .timestamps = Timestamps::kWhileLocked}});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GE(result.replayed.value_or(0), result.committed_total) << "seed " << seed;
  }
}

TEST_P(PartitionLocksTest, AreFoundOutWithTimestampsFromBeforeTheirLocks) {
  if (on_hardware())
    GTEST_SKIP() << "whether transactions meet is chance there, not in simulations";
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto result = run_locked(
        {.workload = GetParam(),
         .seed = seed,
         .chaos = true,
         .system = {.memory_nodes = 2, .memory_workers = 1, .timestamps = Timestamps::kAtBegin}});
    if (result.anomaly && result.anomaly->name == "out of timestamp order") ++found;
  }
  EXPECT_GT(found, 0U);
}

TEST(PartitionLocks, CountByTheirOwnNames) {
  const auto result = run_locked({.workload = "smallbank"});
  EXPECT_EQ(result.system.name, "partition-locks");
  ASSERT_EQ(result.metrics.aborted.size(), 2U);
  EXPECT_GT(result.metrics.committed, 0U);
  EXPECT_EQ(result.metrics.phases.size(), 0U);
}

TEST(PartitionLocks, AreReportedLikeAnySystem) {
  auto result = run_locked({.workload = "smallbank"});
  experiments::Report report;
  report.verdict = experiments::verdict_of(result);
  report.measurements.push_back(experiments::measurement_of("toy", result));
  EXPECT_TRUE(report.passed());
  EXPECT_NE(report.verdict->summary.find("strict serializability"), std::string::npos);
  const std::string table = experiments::table_text(report);
  const std::string document = experiments::json_document(report);
  EXPECT_NE(document.find("partition_locked"), std::string::npos) << document;
  // The table names only causes that occurred, and whether transactions met is chance on a device.
  EXPECT_EQ(table.find("partition_locked") != std::string::npos, result.metrics.aborted[0] > 0)
      << table;
  for (const std::string& text : {table, document}) {
    EXPECT_EQ(text.find("validate"), std::string::npos) << "phases of another system: " << text;
  }
}

// A run without locks, and the same report that the program makes of it.
TEST(PartitionLocks, WithoutThemTheReportShowsWhichTransactionsMet) {
  if (on_hardware()) GTEST_SKIP() << "whether transactions meet is chance there";
  workloads::RunResult result;
  for (std::uint64_t seed = 1; seed <= 20 && !result.anomaly; ++seed) {
    result = run_locked({.workload = "smallbank",
                         .seed = seed,
                         .chaos = true,
                         .system = {.memory_nodes = 2, .memory_workers = 1, .locks = false}});
  }
  ASSERT_TRUE(result.anomaly.has_value());
  experiments::Report report;
  report.verdict = experiments::verdict_of(result);
  EXPECT_FALSE(report.passed());
  const std::string table = experiments::table_text(report);
  for (const char* part : {"verification    FAILED", "history: ", "\n  T1 ", "\n  T2 ", " us to ",
                           "read ", ", wrote ", " as ", " partition ", " key ", "\n  T1 -> T2"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << " is missing in\n" << table;
  }
}

TEST(PartitionLocks, RefuseWorkloadsThatNeedWhatTheyLack) {
  EXPECT_THROW(run_locked({.workload = "tpcc"}), ConfigurationError);
  EXPECT_THROW(run_locked({.workload = "tatp"}), ConfigurationError);
}

}  // namespace
}  // namespace verbena::testing
