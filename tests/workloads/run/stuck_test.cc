// Reports of the transactions that a run leaves when it does not get on.
#include "workloads/run/stuck.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"
#include "workloads/run/unfinished.h"

namespace verbena::testing {
namespace {

using workloads::Unfinished;

// The transactions left by a run whose first abort ends all patience.
std::vector<Unfinished> left_by_impatient_run(const std::string& system_name,
                                              std::uint64_t seed = 1) {
  const FabricShape shape{.nodes = 5, .workers = 2, .seed = seed};
  const auto fabric = make_fabric(shape);
  const auto system = txn::load_system(system_name);
  const auto factory = workloads::workload_factory("smallbank");
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  const std::uint32_t partitions =
      system->place({.nodes = shape.nodes, .replicas = 1}).partitions();
  const auto workload = factory->make({.partitions = partitions, .workers = shape.workers});
  std::vector<Unfinished> unfinished;
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = 6;
  options.seed = seed;
  options.replicas = 1;
  options.duration = 10 * kMillisecond;
  options.patience = kMicrosecond;
  options.unfinished = &unfinished;
  workloads::ClusterRun run(*fabric, *workload, *system, options);
  EXPECT_THROW(run.run(), workloads::Stuck);
  return unfinished;
}

class StuckRun : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Systems, StuckRun,
                         ::testing::Values("drtmh", "drtmr", "farm", "fasst", "nam", "si-2pc"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(StuckRun, TellsWhatEachTransactionWaitsFor) {
  const std::vector<Unfinished> unfinished = left_by_impatient_run(GetParam());
  EXPECT_GT(unfinished.size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(unfinished, {}, &Unfinished::since));
  for (const Unfinished& one : unfinished) {
    EXPECT_FALSE(one.waits_for.empty()) << one.node << ' ' << one.worker << ' ' << one.fiber;
    EXPECT_FALSE(one.kind.empty());
  }
}

// Or one of several records, where an answer of their node does not tell which.
TEST_P(StuckRun, TellsWhatWasInTheWayOfTheOneThatEndedPatience) {
  const std::vector<Unfinished> unfinished = left_by_impatient_run(GetParam());
  const auto aborted =
      std::ranges::find_if(unfinished, [](const Unfinished& one) { return !one.aborts.empty(); });
  ASSERT_NE(aborted, unfinished.end());
  EXPECT_EQ(aborted->aborts.front().second, 1U);
  const std::string& tells = aborted->waits_for;
  EXPECT_NE(tells.find("its next attempt: "), std::string::npos) << tells;
  EXPECT_TRUE(tells.find(" partition ") != std::string::npos || tells.find("one of ") == 18)
      << tells;
  EXPECT_TRUE(tells.find(" was locked") != std::string::npos ||
              tells.find(" changed") != std::string::npos ||
              tells.find(" had a later version") != std::string::npos)
      << tells;
}

// Systems that ask others' CPUs tell of which nodes they wait for answers.
TEST(StuckRunOf, SystemsThatAskOthers) {
  for (const std::string system : {"farm", "fasst", "si-2pc"}) {
    std::uint64_t telling = 0;
    for (const Unfinished& one : left_by_impatient_run(system)) {
      if (one.waits_for.find("(no answer yet of node") != std::string::npos) ++telling;
    }
    EXPECT_GT(telling, 0U) << system;
  }
}

// Locks that NICs take have their holders' names.
TEST(StuckRunOf, SystemsWhoseLocksAreWords) {
  for (const std::string system : {"nam", "drtmr"}) {
    std::uint64_t holders = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      for (const Unfinished& one : left_by_impatient_run(system, seed)) {
        const auto at = one.waits_for.find(" was locked by node ");
        if (at == std::string::npos) continue;
        ++holders;
        EXPECT_NE(one.waits_for.find(", worker ", at), std::string::npos) << one.waits_for;
      }
    }
    EXPECT_GT(holders, 0U) << system;
  }
}

}  // namespace
}  // namespace verbena::testing
