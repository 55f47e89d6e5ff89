// Setting up runs on partition locks.
#include "tests/examples/own_system/locked_run.h"

#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "workloads/registry/registry.h"

namespace verbena::testing {

workloads::RunResult run_locked(const LockedRun& asked) {
  constexpr std::uint32_t kNodes = 4;
  constexpr std::uint32_t kWorkers = 2;  // of a compute node
  const FabricShape shape{
      .nodes = kNodes, .workers = kWorkers, .seed = asked.seed, .chaos = asked.chaos};
  const auto fabric = make_fabric(shape);
  const auto factory = workloads::workload_factory(asked.workload);
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  const PartitionLocks system(asked.system);
  const std::uint32_t partitions = system.place({.nodes = kNodes, .replicas = 1}).partitions();
  const auto workload = factory->make({.partitions = partitions, .workers = kWorkers});
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  options.fibers = by_fabric(4U, 2U);
  options.replicas = 1;
  options.duration = by_fabric(2 * kMillisecond, 60 * kSecond);
  options.max_transactions = by_fabric(0, 20);
  options.seed = asked.seed;
  options.patience = by_fabric(0 * kSecond, 20 * kSecond);
  options.check_history = options.record_history = true;
  return workloads::ClusterRun(*fabric, *workload, system, options).run();
}

}  // namespace verbena::testing
