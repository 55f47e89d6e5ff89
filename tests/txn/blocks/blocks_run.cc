// Setting up short runs.
#include "tests/txn/blocks/blocks_run.h"

#include <algorithm>
#include <stdexcept>

#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::testing {

workloads::RunResult run_blocks(const BlocksRun& asked) {
  constexpr std::uint32_t kWorkers = 2;
  FabricShape shape{
      .nodes = asked.nodes, .workers = kWorkers, .nics = asked.nics, .seed = asked.seed};
  shape.chaos = asked.chaos && !on_hardware();
  if (!on_hardware()) {
    shape.overrides = {{"fabric.ud_loss", asked.loss}, {"fabric.ud_duplicate", asked.loss}};
  }
  const auto system = txn::load_system(asked.system);
  // An emulated machine is silent for as long as others have its host.
  if (on_hardware()) set_parameter(*system, "suspect_after", "20s");
  for (const auto& [name, value] : asked.of_system) set_parameter(*system, name, value);
  const auto factory = workloads::workload_factory("ycsb");
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  set_parameter(*factory, "keys_per_transaction", "1");
  set_parameter(*factory, "records", "4");
  for (const auto& [name, value] : asked.of_workload) set_parameter(*factory, name, value);
  const txn::View view = system->place({.nodes = asked.nodes, .replicas = asked.replicas});
  const auto workload = factory->make(
      {.partitions = view.partitions(), .workers = kWorkers, .key_value_store = true});
  const auto fabric = make_fabric(shape);
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  if (asked.software) options.endpoint.prism = rdma::PrismMode::kSoftware;
  if (!on_hardware()) {
    options.endpoint.rpc.timeout = 50 * kMicrosecond;
    options.endpoint.rpc.ack_delay = 10 * kMicrosecond;
  }
  options.endpoint.rpc.notify_window = asked.notify_window;
  options.seed = asked.seed;
  options.replicas = asked.replicas;
  options.fibers = by_fabric(asked.fibers, 2U);
  options.duration = by_fabric(asked.duration, 60 * kSecond);
  options.max_transactions = by_fabric(asked.max_transactions, std::uint64_t{10});
  options.patience = by_fabric(asked.patience, 20 * kSecond);
  options.check_history = true;
  options.crashes = asked.crashes;
  options.reached = asked.reached;
  options.unfinished = asked.unfinished;
  return workloads::ClusterRun(*fabric, *workload, *system, options).run();
}

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? anomaly_text(result.anomaly) : result.verification.errors[0];
}

std::uint64_t counted(const workloads::RunResult& result, const std::string& counter) {
  const auto& names = result.system.counters;
  const auto found = std::ranges::find(names, counter);
  if (found == names.end()) throw std::logic_error("nothing counts " + counter);
  return result.metrics.counters[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace verbena::testing
