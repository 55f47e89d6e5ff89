// Checking views, and the usual one.
#include "txn/view.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rdma/base/errors.h"

namespace verbena::txn {
namespace {

bool holds(Role role) { return role == Role::kBoth || role == Role::kMemory; }

}  // namespace

const char* role_name(Role role) {
  switch (role) {
    case Role::kBoth:
      return "both";
    case Role::kCompute:
      return "compute";
    case Role::kMemory:
      return "memory";
    case Role::kOracle:
      return "oracle";
  }
  return "";
}

View::View(std::vector<Role> roles, std::vector<std::vector<NodeId>> holders)
    : roles_(std::move(roles)), holders_(std::move(holders)) {
  for (std::size_t partition = 0; partition < holders_.size(); ++partition) {
    const std::vector<NodeId>& held = holders_[partition];
    if (held.empty()) {
      throw ConfigurationError("partition " + std::to_string(partition) + " is held by no node");
    }
    for (auto node = held.begin(); node != held.end(); ++node) {
      const bool twice = std::find(held.begin(), node, *node) != node;
      if (*node < roles_.size() && !twice && holds(roles_[*node])) continue;
      throw ConfigurationError("partition " + std::to_string(partition) + " is held by node " +
                               std::to_string(*node) +
                               "; allowed are different ones that keep memory, of the cluster's " +
                               std::to_string(roles_.size()));
    }
  }
}

View View::ring(const ClusterShape& shape) {
  if (shape.replicas == 0 || shape.replicas > shape.nodes) {
    throw ConfigurationError("replicas " + std::to_string(shape.replicas) +
                             "; allowed are 1 to the number of nodes, " +
                             std::to_string(shape.nodes));
  }
  std::vector<std::vector<NodeId>> holders(shape.nodes);
  for (std::uint32_t partition = 0; partition < shape.nodes; ++partition) {
    for (std::uint32_t copy = 0; copy < shape.replicas; ++copy) {
      holders[partition].push_back(static_cast<NodeId>((partition + copy) % shape.nodes));
    }
  }
  return {std::vector<Role>(shape.nodes, Role::kBoth), std::move(holders)};
}

View View::apart(std::uint32_t nodes, std::uint32_t servers) {
  std::vector<Role> roles(nodes, Role::kCompute);
  std::fill_n(roles.begin(), std::min(nodes, servers), Role::kMemory);
  std::vector<std::vector<NodeId>> holders;
  for (std::uint32_t p = 0; p < servers; ++p) holders.push_back({static_cast<NodeId>(p)});
  return {std::move(roles), std::move(holders)};
}

std::vector<PartitionId> View::primaries(NodeId node) const {
  std::vector<PartitionId> partitions;
  for (std::size_t p = 0; p < holders_.size(); ++p) {
    if (holders_[p].front() == node) partitions.push_back(static_cast<PartitionId>(p));
  }
  return partitions;
}

View View::without(std::span<const NodeId> lost) const {
  View left = *this;
  for (std::vector<NodeId>& held : left.holders_) {
    std::vector<NodeId> living = held;
    std::erase_if(living, [&](NodeId node) { return std::ranges::find(lost, node) != lost.end(); });
    if (!living.empty()) held = std::move(living);
  }
  return left;
}

Home View::home(NodeId node, WorkerId worker) const {
  std::vector<bool> holds_primary(nodes());
  for (const std::vector<NodeId>& held : holders_) holds_primary[held.front()] = true;
  std::uint32_t computing = 0;
  std::uint32_t before = 0;
  bool all_hold = true;
  for (std::uint32_t other = 0; other < nodes(); ++other) {
    if (!computes(static_cast<NodeId>(other))) continue;
    all_hold = all_hold && holds_primary[other];
    ++computing;
    if (other < node) ++before;
  }
  const auto in_turn = [](std::size_t number, std::size_t partitions) {
    return std::pair(number % partitions, static_cast<WorkerId>(number / partitions));
  };
  if (all_hold) {
    const std::vector<PartitionId> own = primaries(node);
    const auto [place, client] = in_turn(worker, own.size());
    return {own[place], client};
  }
  const auto [partition, client] = in_turn(before + worker * computing, partitions());
  return {static_cast<PartitionId>(partition), client};
}

}  // namespace verbena::txn
