// Workloads on NAM-DB, verified at the level of isolation that it promises.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
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
  bool locality = false;
  Nanoseconds longest_transaction = 0;  // 0: as by default
};

template <typename T>
T target_of(txn::System& system, const std::string& name) {
  for (txn::ParameterSection& section : system.parameters()) {
    for (Parameter& parameter : section.parameters) {
      if (parameter.name == name) return std::get<T>(parameter.target);
    }
  }
  throw ConfigurationError("no parameter " + name);
}

bool& switch_of(txn::System& system, const std::string& name) {
  return *target_of<bool*>(system, name);
}

// Says that it promises another level than it does.
class Promising final : public txn::System {
 public:
  Promising(std::unique_ptr<txn::System> system, txn::Isolation isolation)
      : system_(std::move(system)), info_(system_->info()) {
    info_.isolation = isolation;
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
  switch_of(*nam, "stable_snapshots") = asked.stable_snapshots;
  switch_of(*nam, "oracle_on_memory") = asked.oracle_on_memory;
  switch_of(*nam, "locality") = asked.locality;
  switch_of(*nam, "background_snapshots") = asked.background_snapshots;
  target_of<Parameter::Choice>(*nam, "session").set(asked.session == "wait" ? 0 : 1);
  if (asked.longest_transaction > 0) {
    *target_of<Nanoseconds*>(*nam, "longest_transaction") = asked.longest_transaction;
  }
  const Promising system(std::move(nam), isolation);
  const std::uint32_t partitions = system.place({.nodes = shape.nodes, .replicas = 1}).partitions();
  for (const auto& [name, value] : factory->info().small_tables) {
    const bool as_many = name == "warehouses";
    if (asked.small_tables) {
      set_parameter(*factory, name, as_many ? std::to_string(partitions) : value);
    }
  }
  const auto workload = factory->make({.partitions = partitions, .workers = kWorkers});
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = by_fabric(asked.fibers, 2U);
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

class NamRunTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Workloads, NamRunTest,
                         ::testing::Values("smallbank", "stress", "tatp", "tpcc", "tpce-cp",
                                           "ycsb"));

TEST_P(NamRunTest, KeepsSnapshotIsolation) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result =
        run_nam({.workload = GetParam(), .seed = seed, .oracle_on_memory = seed % 2 == 0});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 20U) << "seed " << seed;
    EXPECT_GT(result.verification.records_checked, 0U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsUpdatesWholeWhereSnapshotsAreTorn) {
  for (std::uint64_t seed = 1; seed <= by_fabric(20U, 1U); ++seed) {
    const auto result = run_nam({.workload = GetParam(), .seed = seed, .stable_snapshots = false},
                                txn::Isolation::kUpdateAtomicity);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsSnapshotIsolationByVectorsThatAreFetchedInTheBackground) {
  for (std::uint64_t seed = 1; seed <= by_fabric(10U, 1U); ++seed) {
    const auto result =
        run_nam({.workload = GetParam(), .seed = seed, .background_snapshots = true});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.committed_total, 5U) << "seed " << seed;
  }
}

TEST_P(NamRunTest, KeepsUpdatesWholeWhereFibersSeeTheirOwnCommitsFirst) {
  for (std::uint64_t seed = 1; seed <= by_fabric(10U, 1U); ++seed) {
    const auto result = run_nam(
        {.workload = GetParam(), .seed = seed, .background_snapshots = true, .session = "override"},
        txn::Isolation::kUpdateAtomicity);
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
  }
}

// The CPUs of compute servers that are memory servers, too, among NICs.
TEST_P(NamRunTest, KeepsSnapshotIsolationWithLocality) {
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

TEST_P(NamRunTest, KeepsUpdatesWholeWithLocalityWhereFibersSeeTheirOwnCommitsFirst) {
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

// Whether by locality.
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

// Of a vector of several cache lines, which many commits change while it is read.
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

TEST(NamRun, StableSnapshotsDoNotFork) {
  for (std::uint64_t seed = 1; seed <= by_fabric(30U, 1U); ++seed) {
    EXPECT_EQ(first_error(run_with_long_vector(seed, true)), "") << "seed " << seed;
  }
}

TEST(NamRun, PromisesWhatItsSnapshotsAllow) {
  auto system = txn::load_system("nam");
  switch_of(*system, "stable_snapshots") = true;
  EXPECT_EQ(system->info().isolation, txn::Isolation::kSnapshotIsolation);
  switch_of(*system, "stable_snapshots") = false;
  EXPECT_EQ(system->info().isolation, txn::Isolation::kUpdateAtomicity);
}

TEST(NamRun, RefusesShapesThatCannotWork) {
  const auto system = txn::load_system("nam");
  const auto error = [&](const txn::ClusterShape& shape) -> std::string {
    try {
      system->place(shape);
    } catch (const ConfigurationError& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_NE(error({.nodes = 2, .replicas = 1}).find("nodes 2; system 'nam' needs 3"),
            std::string::npos);
  EXPECT_NE(error({.nodes = 3, .replicas = 2}).find("replicas 2; system 'nam' keeps 1 copy"),
            std::string::npos);
  EXPECT_EQ(error({.nodes = 3, .replicas = 1}), "");
  switch_of(*system, "locality") = true;
  EXPECT_EQ(error({.nodes = 2, .replicas = 1}), "");
  EXPECT_NE(error({.nodes = 1, .replicas = 1}).find("nodes 1; system 'nam' needs 2"),
            std::string::npos);
  *target_of<std::uint32_t*>(*system, "memory_nodes") = 1;
  EXPECT_NE(error({.nodes = 3, .replicas = 1}).find("nam.memory_nodes 1; with nam.locality=true"),
            std::string::npos);
  target_of<Parameter::Choice>(*system, "session").set(1);
  EXPECT_NE(error({.nodes = 3, .replicas = 1}).find("nam.session override"), std::string::npos);
}

}  // namespace
}  // namespace verbena::testing
