// The only place that knows both fabrics.
#include "experiments/session/make_fabric.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "experiments/config/keys/texts.h"
#include "experiments/session/heap.h"
#include "rdma/device/device_discovery.h"
#include "rdma/hardware/hardware_fabric.h"
#include "rdma/hardware/libibverbs_table.h"
#include "simnic/sim_fabric.h"

namespace verbena::experiments {
namespace {

/// Fewest simulated cores for each thread: threads wait for each other after every window.
constexpr std::uint32_t kCoresPerThread = 16;

unsigned usual_threads(const FabricCommand& command) {
  const bool one_of_several = command.memory_share_bytes != 0;
  if (one_of_several) return 1;
  const std::uint32_t cores = command.cluster.nodes * command.cluster.endpoint.workers;
  return std::clamp(std::thread::hardware_concurrency(), 1U, std::max(1U, cores / kCoresPerThread));
}

std::unique_ptr<rdma::Fabric> make_simulated(const FabricCommand& command,
                                             simnic::Observer* observer,
                                             simnic::LoadedPlatform* platform) {
  put_heap_on_huge_pages();
  const FabricOptions& fabric = command.fabric;
  simnic::SimOptions sim;
  sim.nodes = command.cluster.nodes;
  sim.cores_per_node = command.cluster.endpoint.workers;
  sim.nics_per_node = command.cluster.endpoint.nics;
  sim.nic_profile = fabric.nic;
  sim.cpu_profile = fabric.cpu;
  if (const auto range = parse_node_range(fabric.other_nodes)) {
    sim.other_nodes = {{.first = static_cast<NodeId>(range->first),
                        .count = range->second - range->first + 1,
                        .nic_profile = fabric.other_nic,
                        .cpu_profile = fabric.other_cpu}};
  }
  sim.fabric_profile = fabric.switches;
  sim.topology = fabric.topology;
  sim.platform = fabric.platform;
  sim.loaded_platform = platform;
  sim.observer = observer;
  sim.seed = command.cluster.seed;
  sim.chaos = fabric.chaos;
  sim.times_windows = fabric.speed_up;
  sim.threads = fabric.sim_threads.value_or(usual_threads(command));
  sim.page_arena = command.page_arena;
  sim.overrides = fabric.constants;
  return simnic::make_sim_fabric(sim);
}

std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

std::ptrdiff_t peers_on_host_of(std::uint32_t node, const std::vector<std::string>& addresses) {
  return std::count_if(addresses.begin(), addresses.end(), [&](const std::string& address) {
    return host_of(address) == host_of(addresses[node]);
  });
}

std::unique_ptr<rdma::Fabric> make_hardware(const FabricCommand& command) {
  rdma::HardwareOptions hardware;
  hardware.nodes = command.cluster.nodes;
  hardware.addresses = command.fabric.peer_list();
  if (!hardware.addresses.empty()) {
    // Before the peers are waited for.
    const std::uint32_t nics = command.cluster.endpoint.nics;
    rdma::select_ports(rdma::discover_devices(rdma::libibverbs_table()), nics,
                       command.fabric.device_choices(nics));
    hardware.hosted = {static_cast<NodeId>(command.fabric.node)};
    // Processes that share a machine would all choose the same CPUs.
    hardware.pin_threads = peers_on_host_of(command.fabric.node, hardware.addresses) == 1;
  }
  return rdma::make_hardware_fabric(hardware);
}

}  // namespace

std::unique_ptr<rdma::Fabric> make_fabric(const FabricCommand& command, simnic::Observer* observer,
                                          simnic::LoadedPlatform* platform) {
  return command.fabric.simulated ? make_simulated(command, observer, platform)
                                  : make_hardware(command);
}

}  // namespace verbena::experiments
