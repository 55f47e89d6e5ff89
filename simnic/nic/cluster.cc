// The nodes of a cluster.
#include "simnic/nic/cluster.h"

#include <algorithm>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"

namespace verbena::simnic {
namespace {

/// LIDs are 16 bits, and those from 0xc000 on are multicast.
constexpr std::uint64_t kMostNics = 0xbfff;

std::uint32_t checked(const char* what, std::uint32_t value, std::uint64_t most) {
  if (value >= 1 && value <= most) return value;
  throw ConfigurationError(std::string(what) + " is " + std::to_string(value) +
                           ", allowed are 1 to " + std::to_string(most));
}

}  // namespace

Cluster::Cluster(const SimOptions& options)
    : options_(options), windows_(set_up_nodes(), [this](Picoseconds now) { between(now); }) {}

std::vector<WindowNode*> Cluster::set_up_nodes() {
  checked("nics per node", options_.nics_per_node, 16);
  checked("nodes", options_.nodes, kMostNics / options_.nics_per_node);
  checked("cores per node", options_.cores_per_node, 1024);
  const std::vector<const Machine*> machine_of = set_up_machines();
  fabric_ = load_fabric_profile(
      options_.fabric_profile.empty() ? machines_.front()->nic.fabric : options_.fabric_profile,
      options_.overrides);
  threads_.push_back(std::make_unique<ThreadPackets>(packets_));
  std::vector<WindowNode*> nodes;
  for (std::uint32_t number = 0; number < options_.nodes; ++number) {
    const Node::Surroundings surroundings{.options = options_,
                                          .fabric = fabric_,
                                          .packets = packets_,
                                          .nics = nics_,
                                          .threads = threads_};
    nodes_.push_back(
        std::make_unique<Node>(surroundings, static_cast<NodeId>(number), *machine_of[number]));
    nodes.push_back(nodes_.back().get());
    for (std::uint32_t index = 0; index < options_.nics_per_node; ++index) {
      nics_.push_back(&nodes_.back()->add_nic(static_cast<std::uint32_t>(nics_.size())));
    }
  }
  return nodes;
}

std::vector<const Machine*> Cluster::set_up_machines() {
  const auto add = [this](const std::string& nic, const std::string& cpu) {
    machines_.push_back(std::make_unique<Machine>(load_nic_profile(nic, options_.overrides),
                                                  load_cpu_profile(cpu, options_.overrides)));
    return machines_.back().get();
  };
  const Machine* most = add(options_.nic_profile, options_.cpu_profile);
  std::vector<const Machine*> machine_of(options_.nodes, most);
  cores_of_.assign(options_.nodes, options_.cores_per_node);
  for (const OtherNodes& others : options_.other_nodes) {
    if (others.first + std::uint64_t{others.count} > options_.nodes) {
      throw ConfigurationError("nodes " + std::to_string(others.first) + " to " +
                               std::to_string(others.first + std::int64_t{others.count} - 1) +
                               " are not like the others, but the cluster has " +
                               counted(options_.nodes, "node"));
    }
    const std::string& nic = others.nic_profile.empty() ? options_.nic_profile : others.nic_profile;
    const Machine* machine =
        add(nic, others.cpu_profile.empty() ? options_.cpu_profile : others.cpu_profile);
    if (machine->nic.path_mtu != most->nic.path_mtu ||
        machine->nic.ethernet != most->nic.ethernet) {
      throw ConfigurationError("NICs '" + nic + "' and '" + options_.nic_profile +
                               "' differ in path_mtu_bytes or ethernet: no network connects them");
    }
    for (std::uint32_t node = others.first; node < others.first + others.count; ++node) {
      machine_of[node] = machine;
      if (others.cores != 0) cores_of_[node] = checked("cores per node", others.cores, 1024);
    }
  }
  return machine_of;
}

Cluster::~Cluster() { stop(); }

void Cluster::set_topology(Topology& topology) {
  topology_ = &topology;
  for (const auto& node : nodes_) node->set_topology(topology);
  set_windows();
  // All links get their numbers now, so that what nodes on different threads use does not grow. An
  // observer, with which there is one thread, learns their names as messages meet them.
  if (!topology.apart || observer() != nullptr) return;
  for (std::size_t i = 0; i < nics_.size(); ++i) {
    Nic& next = *nics_[(i + 1) % nics_.size()];
    nodes_[nics_[i]->node]->ways().latency(*nics_[i], next);
  }
}

void Cluster::forget_ways() {
  for (const auto& node : nodes_) node->ways().forget();
}

}  // namespace verbena::simnic
