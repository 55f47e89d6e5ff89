// Simulations take the same course on any number of threads, and where one follows the order of
// time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/small_workload.h"
#include "txn/registry/load_system.h"
#include "workloads/run/cluster_run.h"

namespace verbena::workloads {
namespace {

struct Point {
  std::string system;
  std::string workload;
  std::uint32_t nodes = 3;
  bool chaos = false;
  std::uint32_t nics = 1;
  std::string topology = "star";
  bool by_nic = false;  ///< NICs carry out chains
};

struct Course {
  std::uint64_t digest;
  std::uint64_t committed;
  std::uint64_t latencies_ns;
  bool operator==(const Course&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Course& course) {
  return out << course.digest << ", " << course.committed << " committed";
}

bool takes_one_record(const std::string& system) {
  return system == "abdlock" || system == "pilaf" || system == "prism-kv" || system == "prism-rs";
}

/// Simulates on so many threads; 0: in the order of time.
Course course_of(const Point& point, unsigned threads) {
  const auto system = txn::load_system(point.system);
  // As in any simulation without chaos.
  system->set_defaults({.atomics_exclude_across_nics = !point.chaos});
  const txn::SystemInfo& info = system->info();
  // Quorums have servers apart.
  testing::FabricShape shape{.nodes = std::max(point.nodes, info.quorums ? 4U : 1U),
                             .workers = 2,
                             .nics = point.nics,
                             .chaos = point.chaos,
                             .sim_threads = threads,
                             .topology = point.topology};
  if (point.chaos) {
    shape.overrides = {{"fabric.ud_loss", "0.01"}, {"fabric.rc_loss", "0.001"}};
  }
  const auto fabric = testing::make_fabric(shape);
  if (threads == 0) fabric->keep_order();
  const std::uint32_t replicas = !info.replicates ? 1 : info.quorums ? 3 : 2;
  std::vector<std::pair<std::string, std::string>> parameters;
  if (point.workload == "ycsb" && takes_one_record(point.system)) {
    parameters = {{"keys_per_transaction", "1"},
                  {"update", info.single_step_updates ? "change" : "replace"}};
  }
  const auto workload = testing::small_workload(point.workload, *system, shape.nodes, replicas,
                                                shape.workers, parameters);
  RunOptions options;
  options.endpoint = testing::options_for(shape);
  if (point.by_nic) options.endpoint.prism = rdma::PrismMode::kNic;
  options.fibers = 3;
  options.replicas = replicas;
  options.duration = 100 * kMicrosecond;
  options.check_history = point.chaos;
  const RunResult result = ClusterRun(*fabric, *workload, *system, options).run();
  EXPECT_TRUE(result.verification.ok()) << point.system << ", " << point.workload;
  EXPECT_FALSE(result.anomaly) << point.system;
  return {result.trace_digest, result.committed_total, result.metrics.latency.sum()};
}

void expect_same_course(const Point& point) {
  const Course in_order = course_of(point, 0);
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    EXPECT_EQ(course_of(point, threads), in_order)
        << point.system << ", " << point.workload << ", " << point.nodes << " nodes, " << threads
        << " threads";
  }
}

class SimThreads : public ::testing::TestWithParam<std::string> {};

/// Systems with chains, which NICs may carry out.
class SimThreadsByNic : public SimThreads {};

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, SimThreads, ::testing::ValuesIn(txn::system_names()), test_name);
INSTANTIATE_TEST_SUITE_P(Prism, SimThreadsByNic,
                         ::testing::Values("prism-kv", "prism-rs", "prism-tx"), test_name);

/// True if the system takes what the workload consists of.
bool runs(const Point& point) {
  try {
    course_of(point, 1);
  } catch (const ConfigurationError&) {
    return false;
  }
  return true;
}

TEST_P(SimThreads, ChangeNothingOfARun) {
  for (const char* workload : {"smallbank", "tpcc", "tatp", "ycsb"}) {
    const Point point{.system = GetParam(), .workload = workload};
    if (runs(point)) expect_same_course(point);
  }
  expect_same_course({.system = GetParam(), .workload = "ycsb", .nodes = 16});
}

TEST_P(SimThreads, ChangeNothingUnderChaosAndLossesAndHistoriesFit) {
  expect_same_course({.system = GetParam(), .workload = "ycsb", .chaos = true});
}

TEST_P(SimThreads, ChangeNothingWhereNodesHaveSeveralNics) {
  expect_same_course({.system = GetParam(), .workload = "ycsb", .nics = 2});
}

TEST_P(SimThreadsByNic, ChangeNothing) {
  for (const bool chaos : {false, true}) {
    expect_same_course(
        {.system = GetParam(), .workload = "ycsb", .nodes = 5, .chaos = chaos, .by_nic = true});
  }
}

TEST_P(SimThreads, ChangeNothingOnNetworksWithSharedLinks) {
  for (const char* topology : {"fat-tree", "torus"}) {
    expect_same_course(
        {.system = GetParam(), .workload = "ycsb", .nodes = 4, .topology = topology});
  }
}

}  // namespace
}  // namespace verbena::workloads
