// New orders that draw their numbers (NextOrder::kFetchAdd), on systems that can, and on others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"

namespace verbena::testing {
namespace {

struct Asked {
  std::string system = "nam";
  std::string workload = "tpcc";
  std::string next_order = "fetch-add";
  std::uint64_t seed = 1;
  bool locality = false;
  bool chaos = true;
  std::string ud_loss = "0.02";
  std::string items = "200";
};

workloads::RunResult run(const Asked& asked) {
  constexpr std::uint32_t kWorkers = 2;
  const FabricShape shape{.nodes = 5,
                          .workers = kWorkers,
                          .seed = asked.seed,
                          .chaos = asked.chaos,
                          .overrides = {{"fabric.ud_loss", asked.ud_loss}}};
  const auto fabric = make_fabric(shape);
  const auto system = txn::load_system(asked.system);
  if (asked.system == "nam") {
    set_parameter(*system, "stable_snapshots", "true");
    set_parameter(*system, "locality", asked.locality ? "true" : "false");
  }
  const std::uint32_t replicas = system->info().quorums ? 3 : 1;
  const std::uint32_t partitions =
      system->place({.nodes = shape.nodes, .replicas = replicas}).partitions();
  const auto factory = workloads::workload_factory(asked.workload);
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, name == "warehouses" ? std::to_string(partitions) : value);
  }
  set_parameter(*factory, "items", asked.items);
  set_parameter(*factory, "item_distribution", "uniform");
  set_parameter(*factory, "next_order", asked.next_order);
  const auto workload = factory->make({.partitions = partitions, .workers = kWorkers});
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = 6;
  options.replicas = replicas;
  options.duration = kMillisecond;
  options.seed = asked.seed;
  options.check_history = true;
  return workloads::ClusterRun(*fabric, *workload, *system, options).run();
}

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? anomaly_text(result.anomaly) : result.verification.errors[0];
}

std::uint64_t aborts(const workloads::RunResult& result, const std::string& cause) {
  const auto& causes = result.system.abort_causes;
  return result.metrics.aborted[std::ranges::find(causes, cause) - causes.begin()];
}

// The check compares what was drawn with how far the records have counted, so each number was drawn
// once.
TEST(TpccOrderNumbers, AreDrawnOnceAndLeaveTheConditionsHeld) {
  std::uint64_t committed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto result = run({.seed = seed, .locality = seed % 2 == 0});
    EXPECT_EQ(first_error(result), "") << "seed " << seed;
    EXPECT_GT(result.verification.records_checked, 0U);
    committed += result.committed_by_kind.at("new_order");
  }
  EXPECT_GT(committed, 100U);
}

TEST(TpccOrderNumbers, SoTheyAreWithACounter) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(first_error(run({.system = "nam-naive", .seed = seed})), "") << "seed " << seed;
  }
}

// Only new orders; the items are so many that hardly two orders share one.
TEST(TpccOrderNumbers, OrdersOfOneDistrictConflictWhereTheyLockIt) {
  const auto conflicts = [](const std::string& next_order) {
    std::uint64_t all = 0;
    std::uint64_t committed = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto result = run({.workload = "tpcc-no",
                               .next_order = next_order,
                               .seed = seed,
                               .chaos = false,
                               .ud_loss = "0",
                               .items = "20000"});
      EXPECT_EQ(first_error(result), "");
      all += aborts(result, "stale_snapshot") + aborts(result, "locked");
      committed += result.metrics.committed;
    }
    EXPECT_GT(committed, 100U);
    return static_cast<double>(all) / static_cast<double>(committed);
  };
  const double locked = conflicts("locked");
  EXPECT_GT(locked, 0.1);
  EXPECT_LT(conflicts("fetch-add"), locked / 4);
}

TEST(TpccOrderNumbers, AreRefusedByOtherSystems) {
  for (const std::string& system : txn::system_names()) {
    if (txn::load_system(system)->info().draws) continue;
    try {
      run({.system = system});
      FAIL() << system;
    } catch (const ConfigurationError& refused) {
      EXPECT_EQ(std::string(refused.what()),
                "workload.next_order=fetch-add: draws numbers from records of table order_number, "
                "which system '" +
                    system + "' cannot; allowed is one that can, such as nam");
    }
  }
}

}  // namespace
}  // namespace verbena::testing
