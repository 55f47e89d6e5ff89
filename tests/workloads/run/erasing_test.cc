// Workloads that erase records do not begin where conflicts are ignored, and the others do.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

void run_ignoring_conflicts(const std::string& workload_name,
                            const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  const FabricShape shape{.nodes = 3, .workers = 1};
  const auto fabric = make_fabric(shape);
  const auto system = txn::load_system("drtmh");
  set_parameter(*system, "ignore_conflicts", "true");
  const auto factory = workloads::workload_factory(workload_name);
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  for (const auto& [name, value] : settings) set_parameter(*factory, name, value);
  const auto workload = factory->make({.partitions = shape.nodes, .workers = shape.workers});
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = 2;
  options.replicas = 2;
  options.duration = 200 * kMicrosecond;
  options.verify = false;
  workloads::ClusterRun(*fabric, *workload, *system, options).run();
}

void expect_refused(const std::string& workload, const std::string& table) {
  try {
    run_ignoring_conflicts(workload);
    FAIL() << workload << " ran";
  } catch (const ConfigurationError& error) {
    EXPECT_STREQ(error.what(),
                 ("plan.ignore_conflicts true: workload " + workload + " erases records of table " +
                  table + "; allowed are workloads that erase none")
                     .c_str());
  }
}

TEST(Erasing, IsRefusedAtOnceWhereConflictsAreIgnored) {
  expect_refused("tpcc", "new_order");
  expect_refused("tatp", "call_forwarding");
  expect_refused("stress", "short");
}

TEST(Erasing, IsNotWhatTheOthersDo) {
  EXPECT_NO_THROW(run_ignoring_conflicts("tpcc-no"));
  EXPECT_NO_THROW(run_ignoring_conflicts("smallbank"));
  EXPECT_NO_THROW(run_ignoring_conflicts("ycsb"));
  EXPECT_NO_THROW(run_ignoring_conflicts("tpce-cp"));
  EXPECT_NO_THROW(run_ignoring_conflicts("stress", {{"erase_percent", "0"}}));
}

}  // namespace
}  // namespace verbena::testing
