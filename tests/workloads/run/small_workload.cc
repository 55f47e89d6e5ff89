// Tables of one partition each.
#include "tests/workloads/run/small_workload.h"

#include "tests/workloads/run/set_parameter.h"
#include "workloads/registry/registry.h"

namespace verbena::testing {

std::unique_ptr<workloads::Workload> small_workload(
    const std::string& workload, const txn::System& system, std::uint32_t nodes,
    std::uint32_t replicas, std::uint32_t workers,
    const std::vector<std::pair<std::string, std::string>>& parameters) {
  const std::uint32_t partitions =
      system.place({.nodes = nodes, .replicas = replicas}).partitions();
  const auto factory = workloads::workload_factory(workload);
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, name == "warehouses" ? std::to_string(partitions) : value);
  }
  for (const auto& [name, value] : parameters) set_parameter(*factory, name, value);
  return factory->make({.partitions = partitions, .workers = workers});
}

}  // namespace verbena::testing
