// Defaults of the paper's cluster, and of real machines.
#include "experiments/config/keys/fabric_command.h"

#include <algorithm>

#include "rdma/base/text/split.h"

namespace verbena::experiments {

std::vector<std::string> FabricOptions::peer_list() const {
  return peers.empty() ? std::vector<std::string>{} : split(peers, ',');
}

std::vector<rdma::DeviceChoice> FabricOptions::device_choices(std::uint32_t nics) const {
  if (simulated || (device.empty() && !port && !gid_index)) return {};
  rdma::DeviceChoice choice{.name = device};
  if (port) choice.port = static_cast<int>(*port);
  if (gid_index) choice.gid_index = static_cast<int>(*gid_index);
  return std::vector<rdma::DeviceChoice>(nics, choice);
}

void FabricCommand::set_cluster_defaults(std::uint32_t hardware_nodes) {
  cluster.coroutines = 8;
  if (fabric.simulated) {
    // Section 3: 16 nodes, 24 threads, 2 ConnectX-4 each.
    cluster.nodes = 16;
    cluster.endpoint.workers = 24;
    cluster.endpoint.nics = 2;
    cluster.duration = 2 * kMillisecond;
    cluster.warmup = kUsualWarmup;
  } else {
    const std::size_t peers = fabric.peer_list().size();
    cluster.nodes = peers != 0 ? static_cast<std::uint32_t>(peers) : hardware_nodes;
    cluster.endpoint.workers = 1;
    cluster.endpoint.nics = 1;
    cluster.duration = 2 * kSecond;
    cluster.warmup = 200 * kMillisecond;
  }
}

void FabricCommand::derive(const Said& said) {
  if (said.contains("nics-per-node")) return;
  cluster.endpoint.nics = std::min(cluster.endpoint.nics, cluster.endpoint.workers);
}

void FabricCommand::complete_endpoint() {
  rdma::EndpointOptions& endpoint = cluster.endpoint;
  endpoint.seed = cluster.seed;
  endpoint.devices = fabric.device_choices(endpoint.nics);
}

}  // namespace verbena::experiments
