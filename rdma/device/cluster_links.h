// Which workers of a cluster have queue pairs with which. Every node computes the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rdma/base/types.h"

namespace verbena::rdma {

/// Nodes that are set up alike. What they are for (computing, keeping memory) their user knows.
struct NodeGroup {
  /// For errors, e.g. "memory".
  std::string name;
  /// Threads of each node, 1 to 1024.
  std::uint32_t workers = 1;
  /// NICs of each node, 1 to `workers`; worker w uses NIC w * nics / workers.
  std::uint32_t nics = 1;
  /// True if workers have queue pairs to themselves, for one-sided requests to their own node.
  bool own_node = true;
};

/// Counts of the nodes and workers with which a worker has links.
struct WorkerLinks {
  /// Nodes that it posts to.
  std::uint32_t channels = 0;
  /// Workers with which it has queue pairs: one of each of those nodes, and further ones of nodes
  /// that have more workers than its own, which talk to it and which it only answers.
  std::uint32_t all = 0;
  /// Workers of other nodes among these; they may send it datagrams.
  std::uint32_t senders = 0;
};

/// Two workers that have a link.
struct LinkedWorkers {
  WorkerId worker;
  WorkerId peer_worker;
};

/// The workers of all nodes, and their links. Each worker posts to one worker of each node that its
/// node is connected with: to the one of the same number where nodes are alike. Two nodes have as
/// many links as the larger of them has workers: link i joins worker i % few of the smaller one
/// with worker (i + turn) % many of the larger one. The turn grows from one smaller node of a group
/// to the next, so that together they use all workers of the larger one. A worker of the smaller
/// node has several links to the larger one, of which it posts to the first.
///
/// A worker's links are numbered: first, by node, those that it posts to, then the second ones of
/// each node, and so on, so that some numbers have no link. Where nodes are alike and all are
/// connected the number is the peer's. A link carries queue pairs, and the datagrams between its
/// workers.
///
/// Immutable. Processes of a cluster each make their own, from equal arguments.
class ClusterLinks {
 public:
  /// The place of a node that is not connected.
  static constexpr std::uint16_t kNone = UINT16_MAX;

  /// `nodes` nodes that are alike, all connected with all and with themselves.
  static ClusterLinks alike(std::uint32_t nodes, std::uint32_t workers, std::uint32_t nics);

  /// Node n is one of group `group_of[n]`. Nodes of groups a and b, other than one and the same,
  /// are connected if connected(a, b) or connected(b, a); a may be b. Throws ConfigurationError
  /// when a number is out of range.
  ClusterLinks(std::vector<NodeGroup> groups, std::vector<std::uint16_t> group_of,
               const std::function<bool(std::size_t, std::size_t)>& connected);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(group_of_.size()); }
  const NodeGroup& group(NodeId node) const { return groups_[group_of_[node]]; }
  std::uint32_t workers(NodeId node) const { return group(node).workers; }
  std::uint32_t nics(NodeId node) const { return group(node).nics; }
  /// NICs of the node that has the most.
  std::uint32_t most_nics() const;
  std::uint32_t nic_of(NodeId node, WorkerId worker) const {
    return worker * nics(node) / workers(node);
  }

  /// True if workers of these nodes have queue pairs with each other. A node need not be connected
  /// with itself.
  bool connected(NodeId node, NodeId peer) const { return place(node, peer) != kNone; }

  /// How many nodes `node` is connected with, its own included.
  std::uint32_t degree(NodeId node) const;

  /// The place of `peer` among the nodes that `node` is connected with, from 0; kNone if it is not
  /// one of them.
  std::uint16_t place(NodeId node, NodeId peer) const;

  /// These nodes, by place.
  std::vector<NodeId> peers(NodeId node) const;

  /// The worker of `peer` to which worker `worker` of `node`, which is connected with it, posts.
  WorkerId partner(NodeId node, WorkerId worker, NodeId peer) const;

  /// How many links two connected nodes have, in both directions.
  std::uint32_t links_between(NodeId node, NodeId peer) const {
    return std::max(workers(node), workers(peer));
  }

  /// The two ends of link `index` of these; both nodes count them alike.
  LinkedWorkers ends(NodeId node, NodeId peer, std::uint32_t index) const;

  WorkerLinks links(NodeId node, WorkerId worker) const;

  /// One more than the largest number of a link of a worker of `node`.
  std::uint32_t link_numbers(NodeId node) const { return degree(node) * layers(node); }

  /// The number of the link from a worker of `node`, which is the partner of worker `peer_worker`
  /// of `peer`, or has it for a partner, to that worker. The nodes are connected.
  std::uint16_t link_number(NodeId node, NodeId peer, WorkerId peer_worker) const;

  /// The worker of `peer`, the node at place `number` % degree(node), to which link `number` of
  /// worker `worker` of `node` leads; at least workers(peer) when there is no such link.
  std::uint32_t peer_worker(NodeId node, WorkerId worker, NodeId peer, std::uint32_t number) const;

  /// Rounds until each node knows of all others that they have come to a point, where in each round
  /// every node tells those that it is connected with, and waits for them. Nodes that are not
  /// connected through others either never learn of each other.
  std::uint32_t rounds() const { return rounds_; }

  /// Links from all workers of all nodes: what there are of queue pairs, when a link has one.
  std::uint64_t all_links() const;

  /// Differs, most likely, from that of other links.
  std::uint32_t digest() const;

 private:
  bool linked(std::size_t a, std::size_t b) const { return linked_[a * groups_.size() + b]; }
  std::uint32_t layers(NodeId node) const { return layers_[group_of_[node]]; }
  void check() const;
  void count_places();
  std::uint32_t turn(NodeId node, NodeId peer) const;
  void count_rounds();
  std::uint32_t farthest(std::size_t from) const;

  std::vector<NodeGroup> groups_;
  std::vector<std::uint16_t> group_of_;
  std::vector<bool> linked_;            // [group, group]
  std::vector<std::uint32_t> members_;  // [group]
  std::vector<std::uint16_t> before_;  // [group, node]: nodes before it that the group is linked to
  std::vector<std::uint32_t> layers_;  // [group]: links of its first worker to the largest node
  std::vector<std::uint32_t> ranks_;   // [node]: nodes of its group before it
  std::uint32_t rounds_ = 1;
};

}  // namespace verbena::rdma
