// In which order new orders do their work (OrderLines), told by how long it takes.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

// From the first request for a stock of another node to the last answer, the mean of orders that
// have their worker for themselves, in us.
double remote_reads_us(const std::string& system_name, const std::string& order_lines) {
  const FabricShape shape{.nodes = 3, .workers = 1};
  const auto fabric = make_fabric(shape);
  const auto system = txn::load_system(system_name);
  set_parameter(*system, "execution_time", "remote-reads");
  const auto factory = workloads::workload_factory("tpcc-no");
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  set_parameter(*factory, "items", "10000");
  set_parameter(*factory, "order_lines", order_lines);
  const auto workload = factory->make({.partitions = shape.nodes, .workers = shape.workers});
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = 1;
  options.replicas = 1;
  options.duration = 2 * kMillisecond;
  const workloads::RunResult result =
      workloads::ClusterRun(*fabric, *workload, *system, options).run();
  EXPECT_GT(result.metrics.committed, 20U);
  return result.metrics.phases.at(0).mean() / 1000;
}

class TpccOrderLines : public ::testing::Test {
 protected:
  void SetUp() override {
    if (on_hardware()) GTEST_SKIP() << "local work takes what it takes there";
  }
};

// An item is read and a line written, each 0.64 us, between one READ and the next.
TEST_F(TpccOrderLines, AreWrittenBetweenReadsWhereNobodySpeculates) {
  EXPECT_GT(remote_reads_us("farm", "one-by-one"), remote_reads_us("farm", "together") + 5);
}

// A transaction that speculates waits for all stocks before the first line that needs one, else
// after the last.
TEST_F(TpccOrderLines, FollowTheStocksWhereTheseAreAskedForAtOnce) {
  EXPECT_LT(remote_reads_us("drtmh", "one-by-one"), remote_reads_us("drtmh", "together") - 5);
}

}  // namespace
}  // namespace verbena::testing
