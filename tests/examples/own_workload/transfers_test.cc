// The workload of one's own on systems of three kinds, verified.
#include "tests/examples/own_workload/transfers.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/test_fabric.h"
#include "txn/registry/load_system.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

constexpr std::uint32_t kNodes = 4;
constexpr std::uint32_t kWorkers = 2;

// A run that is verified: by the sum of all accounts, copies of records, and the history.
workloads::RunResult run_transfers(const std::string& system_name, std::uint64_t accounts) {
  const FabricShape shape{.nodes = kNodes, .workers = kWorkers, .seed = 7, .chaos = true};
  const auto fabric = make_fabric(shape);
  const auto system = txn::load_system(system_name);
  const std::uint32_t replicas = system->info().replicates ? 3 : 1;
  const std::uint32_t partitions =
      system->place({.nodes = kNodes, .replicas = replicas}).partitions();
  const Transfers transfers(partitions, accounts);
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = 4;
  options.replicas = replicas;
  options.duration = 1 * kMillisecond;
  options.seed = shape.seed;
  options.check_history = true;
  return workloads::ClusterRun(*fabric, transfers, *system, options).run();
}

class OwnWorkload : public ::testing::TestWithParam<std::string> {};

TEST_P(OwnWorkload, MovesAmountsAndLosesNone) {
  const workloads::RunResult result = run_transfers(GetParam(), 20);
  ASSERT_TRUE(result.verification.checked);
  EXPECT_TRUE(result.verification.ok()) << result.verification.errors[0];
  EXPECT_FALSE(result.anomaly.has_value());
  EXPECT_GT(result.metrics.committed, 100U);
  std::uint64_t aborted = 0;
  for (std::size_t cause = 0; cause < result.metrics.aborted.size(); ++cause) {
    aborted += result.metrics.aborted[cause];
  }
  EXPECT_GT(aborted, 10U) << "transfers meet, or are rolled back";
}

INSTANTIATE_TEST_SUITE_P(Systems, OwnWorkload, ::testing::Values("drtmh", "nam", "prism-tx"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& letter : name) letter = letter == '-' ? '_' : letter;
                           return name;
                         });

}  // namespace
}  // namespace verbena::testing
