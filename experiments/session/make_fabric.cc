// The only place that knows both fabrics.
#include "experiments/session/make_fabric.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/hardware_keys.h"
#include "experiments/session/heap.h"
#include "rdma/hardware/hardware_fabric.h"
#include "simnic/sim_fabric.h"

namespace verbena::experiments {
namespace {

std::unique_ptr<rdma::Fabric> make_simulated(const Options& options, simnic::Observer* observer) {
  put_heap_on_huge_pages();
  simnic::SimOptions sim;
  sim.nodes = options.nodes;
  sim.cores_per_node = options.threads;
  sim.nics_per_node = options.nics_per_node;
  sim.nic_profile = options.nic;
  sim.cpu_profile = options.cpu;
  sim.topology = options.topology;
  sim.platform = options.platform;
  sim.observer = observer;
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

std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

std::ptrdiff_t peers_on_host_of(std::uint32_t node, const std::vector<std::string>& addresses) {
  return std::count_if(addresses.begin(), addresses.end(), [&](const std::string& address) {
    return host_of(address) == host_of(addresses[node]);
  });
}

std::unique_ptr<rdma::Fabric> make_hardware(const Options& options) {
  rdma::HardwareOptions hardware;
  hardware.nodes = options.nodes;
  hardware.addresses = options.peer_list();
  if (!hardware.addresses.empty()) {
    hardware.hosted = {static_cast<NodeId>(options.node)};
    // Processes that share a machine would all choose the same CPUs.
    hardware.pin_threads = peers_on_host_of(options.node, hardware.addresses) == 1;
  }
  return rdma::make_hardware_fabric(hardware);
}

}  // namespace

std::unique_ptr<rdma::Fabric> make_fabric(const Options& options, simnic::Observer* observer) {
  return options.simulated() ? make_simulated(options, observer) : make_hardware(options);
}

}  // namespace verbena::experiments
