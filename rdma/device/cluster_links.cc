// Which workers of a cluster have queue pairs with which.
#include "rdma/device/cluster_links.h"

#include <algorithm>
#include <utility>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

constexpr std::uint32_t kMostWorkers = 1024;

// How many links worker `worker` of `few` has with `many`; 1 if they are not more.
std::uint32_t links_of_worker(WorkerId worker, std::uint32_t few, std::uint32_t many) {
  return many <= few ? 1 : (many - worker + few - 1) / few;
}

void require(const NodeGroup& group, const char* what, std::uint64_t value, std::uint64_t most) {
  if (value >= 1 && value <= most) return;
  throw ConfigurationError("nodes '" + group.name + "': " + what + " is " + std::to_string(value) +
                           ", allowed are 1 to " + std::to_string(most));
}

}  // namespace

ClusterLinks ClusterLinks::alike(std::uint32_t nodes, std::uint32_t workers, std::uint32_t nics) {
  return {{{.name = "all", .workers = workers, .nics = nics}},
          std::vector<std::uint16_t>(nodes, 0),
          [](std::size_t, std::size_t) { return true; }};
}

ClusterLinks::ClusterLinks(std::vector<NodeGroup> groups, std::vector<std::uint16_t> group_of,
                           const std::function<bool(std::size_t, std::size_t)>& connected)
    : groups_(std::move(groups)),
      group_of_(std::move(group_of)),
      linked_(groups_.size() * groups_.size()),
      members_(groups_.size(), 0),
      layers_(groups_.size(), 1) {
  for (const NodeGroup& group : groups_) {
    require(group, "workers", group.workers, kMostWorkers);
    require(group, "nics", group.nics, group.workers);
  }
  if (nodes() < 1 || nodes() >= kNone) {
    throw ConfigurationError("nodes is " + std::to_string(nodes()) + ", allowed are 1 to " +
                             std::to_string(kNone - 1));
  }
  for (const std::uint16_t group : group_of_) {
    if (group >= groups_.size()) {
      throw ConfigurationError("a node is one of group " + std::to_string(group) + ", there are " +
                               std::to_string(groups_.size()));
    }
    ranks_.push_back(members_[group]++);
  }
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    for (std::size_t b = 0; b < groups_.size(); ++b) {
      linked_[a * groups_.size() + b] = connected(a, b) || connected(b, a);
      if (!linked(a, b) || members_[b] == 0) continue;
      layers_[a] =
          std::max(layers_[a], (groups_[b].workers + groups_[a].workers - 1) / groups_[a].workers);
    }
  }
  count_places();
  check();
  count_rounds();
}

void ClusterLinks::check() const {
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    const std::uint32_t numbers = link_numbers(static_cast<NodeId>(node));
    if (numbers < kNone) continue;
    throw ConfigurationError("node " + std::to_string(node) + ": " + std::to_string(numbers) +
                             " links of a worker, allowed are " + std::to_string(kNone - 1) +
                             "; more workers of the node have fewer each");
  }
}

void ClusterLinks::count_places() {
  before_.resize(groups_.size() * group_of_.size());
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    std::uint16_t count = 0;
    for (std::size_t node = 0; node < group_of_.size(); ++node) {
      before_[group * group_of_.size() + node] = count;
      if (linked(group, group_of_[node])) ++count;
    }
  }
}

// Nodes of a group have the same connections, so the way from a node to one of another group is as
// long as the one between their groups.
std::uint32_t ClusterLinks::farthest(std::size_t from) const {
  constexpr std::uint32_t kUnknown = UINT32_MAX;
  std::vector<std::uint32_t> distance(groups_.size(), kUnknown);
  std::vector<std::size_t> reached = {from};
  distance[from] = 0;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (members_[group] == 0 || !linked(reached[i], group)) continue;
      if (distance[group] != kUnknown) continue;
      distance[group] = distance[reached[i]] + 1;
      most = std::max(most, distance[group]);
      reached.push_back(group);
    }
  }
  // Two nodes of one group that are not connected meet at any node that both are connected with.
  const bool apart = members_[from] > 1 && !linked(from, from);
  return apart && reached.size() > 1 ? std::max(most, 2U) : most;
}

void ClusterLinks::count_rounds() {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (members_[group] != 0) rounds_ = std::max(rounds_, farthest(group));
  }
}

std::uint32_t ClusterLinks::most_nics() const {
  std::uint32_t most = 0;
  for (const NodeGroup& group : groups_) most = std::max(most, group.nics);
  return most;
}

std::uint32_t ClusterLinks::degree(NodeId node) const {
  const std::size_t group = group_of_[node];
  const std::size_t last = group_of_.size() - 1;
  std::uint32_t count = before_[group * group_of_.size() + last];
  if (linked(group, group_of_[last])) ++count;
  if (linked(group, group)) --count;
  return count + (groups_[group].own_node ? 1 : 0);
}

std::uint16_t ClusterLinks::place(NodeId node, NodeId peer) const {
  const std::size_t group = group_of_[node];
  const bool own = groups_[group].own_node;
  if (node == peer ? !own : !linked(group, group_of_[peer])) return kNone;
  std::uint16_t place = before_[group * group_of_.size() + peer];
  if (peer > node) {
    if (linked(group, group)) --place;
    if (own) ++place;
  }
  return place;
}

std::vector<NodeId> ClusterLinks::peers(NodeId node) const {
  std::vector<NodeId> peers;
  peers.reserve(degree(node));
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
    if (connected(node, static_cast<NodeId>(peer))) peers.push_back(static_cast<NodeId>(peer));
  }
  return peers;
}

// By how much the workers of the larger node are turned against those of the smaller one.
std::uint32_t ClusterLinks::turn(NodeId node, NodeId peer) const {
  const bool node_is_smaller = workers(node) < workers(peer);
  const NodeId smaller = node_is_smaller ? node : peer;
  const NodeId larger = node_is_smaller ? peer : node;
  return ranks_[smaller] * workers(smaller) % workers(larger);
}

LinkedWorkers ClusterLinks::ends(NodeId node, NodeId peer, std::uint32_t index) const {
  const std::uint32_t own = workers(node);
  const std::uint32_t theirs = workers(peer);
  const std::uint32_t turned = index + turn(node, peer);
  if (own < theirs) {
    return {static_cast<WorkerId>(index % own), static_cast<WorkerId>(turned % theirs)};
  }
  return {static_cast<WorkerId>(turned % own), static_cast<WorkerId>(index % theirs)};
}

WorkerId ClusterLinks::partner(NodeId node, WorkerId worker, NodeId peer) const {
  const std::uint32_t own = workers(node);
  if (own < workers(peer)) return ends(node, peer, worker).peer_worker;
  return ends(node, peer, (worker + own - turn(node, peer)) % own).peer_worker;
}

std::uint16_t ClusterLinks::link_number(NodeId node, NodeId peer, WorkerId peer_worker) const {
  const std::uint32_t theirs = workers(peer);
  const std::uint32_t layer =
      workers(node) < theirs ? (peer_worker + theirs - turn(node, peer)) % theirs / workers(node)
                             : 0;
  return static_cast<std::uint16_t>(layer * degree(node) + place(node, peer));
}

WorkerLinks ClusterLinks::links(NodeId node, WorkerId worker) const {
  const std::size_t own = group_of_[node];
  WorkerLinks links{.channels = degree(node)};
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (!linked(own, group)) continue;
    const std::uint32_t others = members_[group] - (group == own ? 1 : 0);
    links.senders += others * links_of_worker(worker, groups_[own].workers, groups_[group].workers);
  }
  links.all = links.senders + (groups_[own].own_node ? 1 : 0);
  return links;
}

std::uint32_t ClusterLinks::peer_worker(NodeId node, WorkerId worker, NodeId peer,
                                        std::uint32_t number) const {
  const std::uint32_t layer = number / degree(node);
  if (layer == 0) return partner(node, worker, peer);
  const std::uint32_t index = worker + layer * workers(node);
  if (index >= workers(peer)) return index;
  return ends(node, peer, index).peer_worker;
}

std::uint64_t ClusterLinks::all_links() const {
  std::uint64_t sum = 0;
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    for (std::uint32_t worker = 0; worker < workers(static_cast<NodeId>(node)); ++worker) {
      sum += links(static_cast<NodeId>(node), static_cast<WorkerId>(worker)).all;
    }
  }
  return sum;
}

std::uint32_t ClusterLinks::digest() const {
  std::uint32_t digest = 0x811c9dc5;  // FNV-1a, a number at a time
  const auto add = [&digest](std::uint32_t value) { digest = (digest ^ value) * 0x01000193; };
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    add(groups_[group].workers);
    add(groups_[group].nics);
    add(groups_[group].own_node ? 1 : 0);
  }
  for (const bool linked : linked_) add(linked ? 1 : 0);
  for (const std::uint16_t group : group_of_) add(group);
  return digest;
}

}  // namespace verbena::rdma
