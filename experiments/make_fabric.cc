// The only place that knows both fabrics.
#include "experiments/make_fabric.h"

#include <algorithm>

#include "experiments/hardware_keys.h"
#include "rdma/hardware_fabric.h"
#include "simnic/sim_fabric.h"

namespace verbena::experiments {
namespace {

std::unique_ptr<rdma::Fabric> make_simulated(const Options& options) {
  simnic::SimOptions sim;
  sim.nodes = options.nodes;
  sim.cores_per_node = options.threads;
  sim.nics_per_node = options.nics_per_node;
  sim.nic_profile = options.nic;
  sim.cpu_profile = options.cpu;
  sim.seed = options.seed;
  sim.chaos = options.chaos;
  const std::vector<OverrideKey> keys = hardware_keys();
  for (const auto& [key, value] : options.overrides) {
    const bool of_hardware = std::any_of(
        keys.begin(), keys.end(), [&](const OverrideKey& known) { return known.key == key; });
    if (of_hardware) sim.overrides.set(key, value);
  }
  return simnic::make_sim_fabric(sim);
}

std::unique_ptr<rdma::Fabric> make_hardware(const Options& options) {
  rdma::HardwareOptions hardware;
  hardware.nodes = options.nodes;
  hardware.addresses = options.peer_list();
  if (!hardware.addresses.empty()) hardware.hosted = {static_cast<rdma::NodeId>(options.node)};
  return rdma::make_hardware_fabric(hardware);
}

}  // namespace

std::unique_ptr<rdma::Fabric> make_fabric(const Options& options) {
  return options.simulated() ? make_simulated(options) : make_hardware(options);
}

}  // namespace verbena::experiments
