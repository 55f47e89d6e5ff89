// Setting up short runs.
#include "tests/txn/kv/kv_run.h"

#include <algorithm>
#include <stdexcept>

#include "rdma/base/errors.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::testing {
namespace {

void set(txn::System& system, const std::string& key, const std::string& value) {
  for (const txn::ParameterSection& section : system.parameters()) {
    for (const Parameter& parameter : section.parameters) {
      if (section.name + "." + parameter.name == key) return assign(parameter, value);
    }
  }
  throw std::logic_error("no parameter " + key);
}

}  // namespace

workloads::RunResult run_kv(const KvRun& asked) {
  constexpr std::uint32_t kWorkers = 2;
  FabricShape shape{.nodes = asked.nodes, .workers = kWorkers, .seed = asked.seed};
  shape.chaos = asked.chaos && !on_hardware();
  if (!on_hardware()) {
    shape.overrides = {{"fabric.ud_loss", asked.loss}, {"fabric.ud_duplicate", asked.loss}};
    for (const auto& [key, value] : asked.of_fabric) shape.overrides[key] = value;
  }
  const auto system = txn::load_system(asked.system);
  // An emulated machine is silent for as long as others have its host.
  if (on_hardware()) set(*system, "prism.suspect_after", "20s");
  for (const auto& [key, value] : asked.of_system) set(*system, key, value);
  const auto factory = workloads::workload_factory(asked.workload);
  for (const auto& [name, value] : factory->info().small_tables) {
    set_parameter(*factory, name, value);
  }
  for (const auto& [name, value] : asked.of_workload) set_parameter(*factory, name, value);
  const txn::View view = system->place({.nodes = asked.nodes, .replicas = 1});
  const auto workload = factory->make({.partitions = view.partitions(),
                                       .workers = kWorkers,
                                       .key_value_store = system->info().most_records == 1,
                                       .scans = system->info().scans});
  const auto fabric = make_fabric(shape);
  workloads::RunOptions options;
  options.endpoint = options_for(shape);
  if (!on_hardware()) {
    options.endpoint.rpc.timeout = 50 * kMicrosecond;
    options.endpoint.rpc.ack_delay = 10 * kMicrosecond;
  }
  options.seed = asked.seed;
  options.replicas = 1;
  options.fibers = by_fabric(4U, 2U);
  options.duration = by_fabric(asked.duration, 60 * kSecond);
  options.max_transactions = by_fabric(asked.max_transactions, std::uint64_t{10});
  options.patience = by_fabric(asked.patience, 20 * kSecond);
  options.check_history = true;
  options.endpoint.rpc.notify_window = asked.notify_window;
  options.crashes = asked.crashes;
  options.reached = asked.reached;
  return workloads::ClusterRun(*fabric, *workload, *system, options).run();
}

std::vector<std::pair<std::string, std::string>> found_soon() {
  return {{"prism.suspect_after", "2ms"}, {"prism.heartbeat", "100us"}};
}

std::string refusal(const KvRun& run) {
  try {
    run_kv(run);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "nothing";
}

std::string what_is_wrong(const workloads::RunResult& result) {
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
