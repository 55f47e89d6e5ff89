// Workloads on NAM-DB, verified at the level of isolation that it promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/value_text.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/nam/measures.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

struct NamRun {
  std::string workload;
  std::uint64_t seed = 1;
  bool stable_snapshots = true;
  bool oracle_on_memory = false;
  std::uint32_t fibers = 6;
  std::string jitter_ns = "500";
  bool small_tables = true;
  bool background_snapshots = false;
  std::string session = "wait";
  std::string oracle = "vector";
  std::uint32_t oracles = 1;
  bool await_publication = true;
  bool own_commits_promised = false;  // also where they are not
  bool locality = false;
  bool own_by_nic = false;
  std::uint32_t versions = 3;
  std::uint32_t overflow_kib = 0;
  /// Parameters of the workload, beyond those of its small tables.
  std::vector<std::pair<std::string, std::string>> parameters = {};
  Nanoseconds longest_transaction = 0;  // 0: as by default
};

std::string text_of(bool value) { return value ? "true" : "false"; }

// Says that it promises another level than it does.
class Promising final : public txn::System {
 public:
  Promising(std::unique_ptr<txn::System> system, txn::Isolation isolation, bool own_commits)
      : system_(std::move(system)), info_(system_->info()) {
    info_.isolation = isolation;
    info_.own_commits |= own_commits;
  }
  const txn::SystemInfo& info() const override { return info_; }
  txn::View place(const txn::ClusterShape& shape) const override { return system_->place(shape); }
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked,
                                 const txn::Deployment& deployment, NodeId node) const override {
    return system_->endpoint(asked, deployment, node);
  }
  std::unique_ptr<txn::Participant> join(rdma::Endpoint& endpoint,
                                         const txn::Deployment& deployment) const override {
    return system_->join(endpoint, deployment);
  }

 private:
  std::unique_ptr<txn::System> system_;
  txn::SystemInfo info_;
};

workloads::RunResult run_nam(const NamRun& asked,
                             txn::Isolation isolation = txn::Isolation::kSnapshotIsolation) {
  constexpr std::uint32_t kWorkers = 2;
  FabricShape shape{.nodes = 5, .workers = kWorkers, .seed = asked.seed, .chaos = !on_hardware()};
  if (shape.chaos) shape.overrides = {{"fabric.chaos_jitter_ns", asked.jitter_ns}};
  const auto fabric = make_fabric(shape);
  const auto factory = workloads::workload_factory(asked.workload);
  auto nam = txn::load_system("nam");
  set_parameter(*nam, "stable_snapshots", text_of(asked.stable_snapshots));
  set_parameter(*nam, "oracle_on_memory", text_of(asked.oracle_on_memory));
  set_parameter(*nam, "locality", text_of(asked.locality));
  set_parameter(*nam, "own_by_nic", text_of(asked.own_by_nic));
  set_parameter(*nam, "background_snapshots", text_of(asked.background_snapshots));
  set_parameter(*nam, "session", asked.session);
  set_parameter(*nam, "oracle", asked.oracle);
  set_parameter(*nam, "oracles", std::to_string(asked.oracles));
  set_parameter(*nam, "versions", std::to_string(asked.versions));
  set_parameter(*nam, "overflow_kib", std::to_string(asked.overflow_kib));
  set_parameter(*nam, "await_publication", text_of(asked.await_publication));
  if (asked.longest_transaction > 0) {
    set_parameter(*nam, "longest_transaction", format_duration(asked.longest_transaction));
  }
  const Promising system(std::move(nam), isolation, asked.own_commits_promised);
  const std::uint32_t partitions = system.place({.nodes = shape.nodes, .replicas = 1}).partitions();
  for (const auto& [name, value] : factory->info().small_tables) {
    const bool as_many = name == "warehouses";
    if (asked.small_tables) {
      set_parameter(*factory, name, as_many ? std::to_string(partitions) : value);
    }
  }
  for (const auto& [name, value] : asked.parameters) set_parameter(*factory, name, value);
  const auto workload = factory->make({.partitions = partitions, .workers = kWorkers});
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  // Each oracle has a cache line of the vector at least.
  options.fibers = by_fabric(asked.fibers, asked.oracles > 1 ? 3U : 2U);
  options.replicas = 1;
  options.duration = by_fabric(kMillisecond, 60 * kSecond);
  options.max_transactions = by_fabric(0, 20);
  options.seed = asked.seed;
  options.patience = by_fabric(0 * kSecond, 20 * kSecond);
  options.check_history = true;
  return workloads::ClusterRun(*fabric, *workload, system, options).run();
}

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? anomaly_text(result.anomaly) : result.verification.errors[0];
}

constexpr const char* kOneThere =
    "emulated devices are slow, and small guests lack memory: stress alone";

constexpr const char* kSlowlyFilled =
    "its tables take long to fill there: PRISM-TX fills them in its test";

class NamRunTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Workloads, NamRunTest,
                         ::testing::Values("smallbank", "stress", "tatp", "tpcc", "tpce-cp",
                                           "ycsb"));

TEST_P(NamRunTest, KeepsSnapshotIsolation) {
  if (on_hardware() && GetParam() == "tpce-cp") GTEST_SKIP() << kSlowlyFilled;
  for (std::uint64_t seed = 1; seed <= by_fabric(12U, 1U); ++seed) {
    const auto result =
        run_nam({.workload = GetParam(), .seed = seed, .oracle_on_memory = seed % 2 == 0});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsUpdatesWholeWhereSnapshotsAreTorn) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(12U, 1U); ++seed) {
    const auto result = run_nam({.workload = GetParam(), .seed = seed, .stable_snapshots = false},
                                txn::Isolation::kUpdateAtomicity);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsSnapshotIsolationByVectorsThatAreFetchedInTheBackground) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(6U, 1U); ++seed) {
    const auto result =
        run_nam({.workload = GetParam(), .seed = seed, .background_snapshots = true});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 5U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsSnapshotIsolationByACounter) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(6U, 1U); ++seed) {
    const auto result = run_nam({.workload = GetParam(),
                                 .seed = seed,
                                 .oracle_on_memory = seed % 2 == 0,
                                 .background_snapshots = seed % 3 == 0,
                                 .oracle = "counter"});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 5U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsSnapshotIsolationBySlotsThatServersShare) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(6U, 1U); ++seed) {
    const auto result = run_nam({.workload = GetParam(),
                                 .seed = seed,
                                 .background_snapshots = seed % 2 == 0,
                                 .oracle = "compressed",
                                 .await_publication = seed % 3 != 0});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 5U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsSnapshotIsolationByAVectorInParts) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(6U, 1U); ++seed) {
    const auto result = run_nam({.workload = GetParam(),
                                 .seed = seed,
                                 .oracle_on_memory = true,
                                 .fibers = 12,
                                 .oracles = 2,
                                 .await_publication = seed % 2 == 0});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 5U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsSnapshotsWholeWhereFibersMayMissTheirOwnCommits) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(6U, 1U); ++seed) {
    const auto result = run_nam({.workload = GetParam(),
                                 .seed = seed,
                                 .background_snapshots = true,
                                 .session = "none",
                                 .oracle = seed % 2 == 0 ? "counter" : "vector"});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 5U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsUpdatesWholeWhereFibersSeeTheirOwnCommitsFirst) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(6U, 1U); ++seed) {
    const auto result = run_nam(
        {.workload = GetParam(), .seed = seed, .background_snapshots = true, .session = "override"},
        txn::Isolation::kUpdateAtomicity);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
  }
}

// Snapshots that are fetched in the background are older when they are used than those read for it.
TEST(NamRun, TellsHowOldSnapshotsAre) {
  const auto median = [](bool background_snapshots) {
    const auto result = run_nam({.workload = "smallbank",
                                 .stable_snapshots = false,
                                 .background_snapshots = background_snapshots},
                                txn::Isolation::kUpdateAtomicity);
    EXPECT_EQ(result.system.times, std::vector<std::string>{"snapshot_age"});
    const Histogram& ages = result.metrics.times.at(0);
    // One age for each attempt, up to those in flight at the end.
    EXPECT_GE(ages.count() + 60, result.metrics.committed);
    return ages.percentile(0.5);
  };
  const std::uint64_t own = median(false);
  EXPECT_GT(own, 0U);
  if (on_hardware()) return;
  EXPECT_GT(median(true), own);
}

// Transactions whose records are all of their own machine wait for nothing, and take long.
TEST(NamRun, TransactionsByCpuLetVectorsBeFetched) {
  if (on_hardware()) GTEST_SKIP() << "how long a fiber waits for others is the scheduler's there";
  const auto result = run_nam({.workload = "tpcc",
                               .stable_snapshots = false,
                               .background_snapshots = true,
                               .locality = true},
                              txn::Isolation::kUpdateAtomicity);
  EXPECT_LT(Nanoseconds(result.metrics.times.at(0).percentile(0.99)), 100 * kMicrosecond);
}

void expect_audits(const NamRun& asked) {
  const auto result = run_nam(asked);
  EXPECT_EQ(first_error(result), "") << "seed " << asked.seed;
  if (on_hardware()) return;
  EXPECT_GT(result.committed_by_kind.at("audit"), 0U) << "seed " << asked.seed;
  EXPECT_GT(result.committed_total, result.committed_by_kind.at("audit")) << "seed " << asked.seed;
}

TEST(NamAudits, FindSumsAsTheyWereAtFirstAndDistrictsThatSumUpToTheirWarehouse) {
  for (std::uint64_t seed = 1; seed <= by_fabric(6U, 1U); ++seed) {
    // By CPU they take turns with other fibers all the time.
    NamRun run{.workload = "smallbank",
               .seed = seed,
               .fibers = seed % 2 == 0 ? 2U : 6U,
               .background_snapshots = seed % 3 == 0,
               .locality = seed % 2 == 0,
               .overflow_kib = seed % 2 == 0 ? 4096U : 0U,
               .parameters = {{"accounts_per_worker", "25"}, {"audit_percent", "40"}}};
    expect_audits(run);
    run.workload = "tpcc";
    run.parameters = {{"audit_percent", "20"}};
    expect_audits(run);
  }
}

TEST(NamAudits, AreRefusedWhereSnapshotsMayBeTorn) {
  if (on_hardware()) GTEST_SKIP() << "settings are checked alike";
  try {
    run_nam(
        {.workload = "tpcc", .stable_snapshots = false, .parameters = {{"audit_percent", "20"}}},
        txn::Isolation::kUpdateAtomicity);
    FAIL() << "must be refused";
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(std::string(error.what()).find("workload.audit_percent above 0; allowed is 0 with "),
              0U)
        << error.what();
  }
}

// In little room, which is used again and again.
TEST_P(NamRunTest, KeepsSnapshotIsolationWithOverflow) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(10U, 1U); ++seed) {
    const bool little = seed % 3 == 0;
    const bool large = GetParam() == "tpcc" || GetParam() == "tpce-cp";
    const Nanoseconds longest = large ? 600 * kMicrosecond : 80 * kMicrosecond;
    const auto result =
        run_nam({.workload = GetParam(),
                 .seed = seed,
                 .fibers = 12,
                 .oracle = seed % 4 == 1 ? "compressed" : "vector",
                 .locality = seed % 2 == 0,
                 .versions = seed % 5 == 0 ? 3U : 1U,
                 .overflow_kib = !little ? 10000U
                                 : large ? 512U
                                         : 64U,
                 // An emulated device is slow for as long as others use its machine.
                 .longest_transaction = little ? by_fabric(longest, 0 * kSecond)
                                               : by_fabric(0 * kSecond, 10 * kSecond)});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 5U) << "seed " << seed;
    if (little) continue;
    const auto too_old = txn::nam::Abort::kSnapshotTooOld;
    EXPECT_EQ(result.metrics.aborted.at(static_cast<std::size_t>(too_old)), 0U) << "seed " << seed;
  }
}

// The CPUs of compute servers that are memory servers, too, among NICs.
TEST_P(NamRunTest, KeepsSnapshotIsolationWithLocality) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(8U, 1U); ++seed) {
    const auto result = run_nam({.workload = GetParam(),
                                 .seed = seed,
                                 .oracle_on_memory = seed % 2 == 0,
                                 .background_snapshots = seed % 4 < 2,
                                 .locality = true});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 5U) << "seed " << seed;
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsSnapshotIsolationWhereItsOwnRecordsAreAccessedByNics) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  const auto result = run_nam({.workload = GetParam(), .locality = true, .own_by_nic = true});
  EXPECT_EQ(first_error(result), "");
  EXPECT_GT(result.committed_total, 5U);
  const auto own_reads = static_cast<std::size_t>(txn::nam::Counter::kOwnReads);
  EXPECT_EQ(result.metrics.counters.at(own_reads), 0U);
}

TEST_P(NamRunTest, KeepsUpdatesWholeWithLocalityWhereFibersSeeTheirOwnCommitsFirst) {
  if (on_hardware() && GetParam() != "stress") GTEST_SKIP() << kOneThere;
  for (std::uint64_t seed = 1; seed <= by_fabric(5U, 1U); ++seed) {
    const auto result = run_nam({.workload = GetParam(),
                                 .seed = seed,
                                 .stable_snapshots = false,
                                 .background_snapshots = true,
                                 .session = "override",
                                 .locality = true},
                                txn::Isolation::kUpdateAtomicity);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
  }
}

// Each of two fibers sees its own commit and not yet the other's.
TEST(NamRun, OwnCommitsThatAreSeenFirstAreFoundToFork) {
  if (on_hardware()) GTEST_SKIP() << "what commits meanwhile is chance there";
  std::uint64_t forks = 0;
  for (std::uint64_t seed = 1; seed <= 60 && forks == 0; ++seed) {
    const auto result = run_nam({.workload = "smallbank",
                                 .seed = seed,
                                 .background_snapshots = true,
                                 .session = "override"});
    if (result.anomaly && result.anomaly->name == "long fork") ++forks;
  }
  EXPECT_GT(forks, 0U);
}

// Parameter: true for locality.
class NamReuseTest : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Locality, NamReuseTest, ::testing::Bool());

// Erased records are taken out while others look for them.
TEST_P(NamReuseTest, KeepsSnapshotIsolation) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result =
        run_nam({.workload = "stress",
                 .seed = seed,
                 .locality = GetParam(),
                 .longest_transaction = by_fabric(200 * kMicrosecond, 500 * kMillisecond)});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
  }
}

// A run with a vector of several cache lines, which many commits change while it is read.
workloads::RunResult run_with_long_vector(std::uint64_t seed, bool stable_snapshots) {
  return run_nam({.workload = "smallbank",
                  .seed = seed,
                  .stable_snapshots = stable_snapshots,
                  .fibers = 24,
                  .jitter_ns = "3000",
                  .small_tables = on_hardware()});
}

TEST(NamRun, TornSnapshotsAreFoundToFork) {
  if (on_hardware()) GTEST_SKIP() << "whether a READ of the vector is torn is chance there";
  std::uint64_t forks = 0;
  for (std::uint64_t seed = 1; seed <= 60 && forks == 0; ++seed) {
    const auto result = run_with_long_vector(seed, false);
    if (result.anomaly && result.anomaly->name == "long fork") ++forks;
  }
  EXPECT_GT(forks, 0U);
}

// Parts are not read at one instant.
TEST(NamRun, PartsOfTheVectorAreFoundToFork) {
  if (on_hardware()) GTEST_SKIP() << "what commits between two READs is chance there";
  std::uint64_t forks = 0;
  for (std::uint64_t seed = 1; seed <= 60 && forks == 0; ++seed) {
    const auto result = run_nam({.workload = "smallbank",
                                 .seed = seed,
                                 .stable_snapshots = false,
                                 .oracle_on_memory = true,
                                 .fibers = 12,
                                 .oracles = 2});
    if (result.anomaly && result.anomaly->name == "long fork") ++forks;
  }
  EXPECT_GT(forks, 0U);
}

TEST(NamRun, FibersThatMissTheirOwnCommitsAreFound) {
  if (on_hardware()) GTEST_SKIP() << "whether a vector is fetched in time is chance there";
  std::uint64_t missed = 0;
  for (std::uint64_t seed = 1; seed <= 60 && missed == 0; ++seed) {
    const auto result = run_nam({.workload = "smallbank",
                                 .seed = seed,
                                 .background_snapshots = true,
                                 .session = "none",
                                 .own_commits_promised = true});
    if (result.anomaly && result.anomaly->name == "lost session") ++missed;
  }
  EXPECT_GT(missed, 0U);
}

TEST(NamRun, StableSnapshotsDoNotFork) {
  for (std::uint64_t seed = 1; seed <= by_fabric(30U, 1U); ++seed) {
    EXPECT_EQ(first_error(run_with_long_vector(seed, true)), "") << "seed " << seed;
  }
}

// Both where transactions take snapshots of their own, and where they take late ones.
TEST(NamRun, RefusesALongestTransactionThatTransactionsCannotKeep) {
  if (on_hardware()) GTEST_SKIP() << "how long transactions take there is not known";
  for (const bool background : {false, true}) {
    std::string refused;
    try {
      run_nam({.workload = "tpcc",
               .background_snapshots = background,
               .longest_transaction = 10 * kMicrosecond});
    } catch (const ConfigurationError& error) {
      refused = error.what();
    }
    EXPECT_EQ(refused.find("nam.longest_transaction 10us; allowed is more than "), 0U) << refused;
    EXPECT_NE(refused.find("a transaction was tried 1"), std::string::npos) << refused;
  }
}

}  // namespace
}  // namespace verbena::testing
