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
std::vector<Unfinished> left_by_impatient_run() {
  const FabricShape shape{.nodes = 5, .workers = 2};
  const auto fabric = make_fabric(shape);
  const auto nam = txn::load_system("nam");
  const auto factory = workloads::workload_factory("smallbank");
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  const std::uint32_t partitions = nam->place({.nodes = shape.nodes, .replicas = 1}).partitions();
  const auto workload = factory->make({.partitions = partitions, .workers = shape.workers});
  std::vector<Unfinished> unfinished;
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = 6;
  options.replicas = 1;
  options.duration = 10 * kMillisecond;
  options.patience = kMicrosecond;
  options.unfinished = &unfinished;
  workloads::ClusterRun run(*fabric, *workload, *nam, options);
  EXPECT_THROW(run.run(), workloads::Stuck);
  return unfinished;
}

TEST(StuckRun, TellsWhatEachTransactionWaitsFor) {
  const std::vector<Unfinished> unfinished = left_by_impatient_run();
  EXPECT_GT(unfinished.size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(unfinished, {}, &Unfinished::since));
  for (const Unfinished& one : unfinished) {
    EXPECT_FALSE(one.waits_for.empty()) << one.node << ' ' << one.worker << ' ' << one.fiber;
    EXPECT_FALSE(one.kind.empty());
  }
}

TEST(StuckRun, TellsWhatWasInTheWayOfTheOneThatEndedPatience) {
  const std::vector<Unfinished> unfinished = left_by_impatient_run();
  const auto aborted =
      std::ranges::find_if(unfinished, [](const Unfinished& one) { return !one.aborts.empty(); });
  ASSERT_NE(aborted, unfinished.end());
  const auto& [cause, count] = aborted->aborts.front();
  EXPECT_EQ(count, 1U);
  ASSERT_TRUE(cause == "locked" || cause == "stale_snapshot") << cause;
  const std::string what = cause == "locked" ? "was locked by node " : "had a later version";
  EXPECT_NE(aborted->waits_for.find(what), std::string::npos) << aborted->waits_for;
  EXPECT_NE(aborted->waits_for.find(" partition "), std::string::npos) << aborted->waits_for;
}

}  // namespace
}  // namespace verbena::testing
