// Links of a cluster: the pairs of workers that have queue pairs. Every node computes the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rdma/base/types.h"

namespace verbena::rdma {

/// Nodes that are set up alike. Their user knows what they are for (computing, keeping memory).
struct NodeGroup {
  /// Name for errors, e.g. "memory".
  std::string name;
  /// Threads of each node, 1 to 1024.
  std::uint32_t workers = 1;
  /// NICs of each node, 1 to `workers`; worker w uses NIC w * nics / workers.
  std::uint32_t nics = 1;
  /// True if workers have queue pairs to themselves, for one-sided requests to their own node.
  bool own_node = true;
};

/// Numbers of the nodes and workers with which a worker has links.
struct WorkerLinks {
  /// Nodes that it posts to.
  std::uint32_t channels = 0;
  /// Workers with which it has queue pairs: one of each node that it posts to, and further ones of
  /// nodes with more workers than its own, which it only answers.
  std::uint32_t all = 0;
  /// Workers of other nodes among `all`; they may send it datagrams.
  std::uint32_t senders = 0;
};

/// Two workers that have a link.
struct LinkedWorkers {
  WorkerId worker;
  WorkerId peer_worker;
};

/// The workers of all nodes, and their links. Each worker posts to one worker, its partner, of each
/// node that its node is connected with: to that of the same number where nodes are alike. Two
/// nodes have as many links as the larger of them has workers: link i joins worker i % few of the
/// smaller node with worker (i + turn) % many of the larger one, where few and many are their
/// numbers of workers. The turn grows from one smaller node of a group to the next, so that
/// together they use all workers of the larger node. A worker of the smaller node has several links
/// to the larger one, and posts to the first.
///
/// A worker's links are numbered: first, by node, the links that it posts to, then each node's
/// second link, and so on. Some numbers have no link. Where nodes are alike and fully connected, a
/// link's number is the peer's. A link carries queue pairs and the datagrams between its workers.
///
/// Immutable. Processes of a cluster each make their own, from equal arguments.
class ClusterLinks {
 public:
  /// The place of a node that is not connected.
  static constexpr std::uint16_t kNone = UINT16_MAX;

  /// `nodes` nodes that are alike, all connected with all and with themselves.
  static ClusterLinks alike(std::uint32_t nodes, std::uint32_t workers, std::uint32_t nics);

  /// Puts node n into group `group_of[n]`. Two nodes of groups a and b, or of a alone, are
  /// connected if connected(a, b) or connected(b, a) (for a node and itself see `own_node`). Throws
  /// ConfigurationError when a number is out of range.
  ClusterLinks(std::vector<NodeGroup> groups, std::vector<std::uint16_t> group_of,
               const std::function<bool(std::size_t, std::size_t)>& connected);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(group_of_.size()); }
  const NodeGroup& group(NodeId node) const { return groups_[group_of_[node]]; }
  std::uint32_t workers(NodeId node) const { return group(node).workers; }
  std::uint32_t nics(NodeId node) const { return group(node).nics; }
  /// Largest number of NICs of any node.
  std::uint32_t most_nics() const;
  std::uint32_t nic_of(NodeId node, WorkerId worker) const {
    return worker * nics(node) / workers(node);
  }

  /// True if workers of these nodes have queue pairs with each other. A node need not be connected
  /// with itself.
  bool connected(NodeId node, NodeId peer) const { return place(node, peer) != kNone; }

  /// Number of nodes that `node` is connected with, itself included if it is.
  std::uint32_t degree(NodeId node) const;

  /// Returns the place of `peer` among the nodes that `node` is connected with, from 0; kNone if it
  /// is not one of them.
  std::uint16_t place(NodeId node, NodeId peer) const;

  /// Returns the nodes that `node` is connected with, by place.
  std::vector<NodeId> peers(NodeId node) const;

  /// Returns the worker of `peer`, a connected node, to which worker `worker` of `node` posts.
  WorkerId partner(NodeId node, WorkerId worker, NodeId peer) const;

  /// Number of links between two connected nodes, in both directions.
  std::uint32_t links_between(NodeId node, NodeId peer) const {
    return std::max(workers(node), workers(peer));
  }

  /// Returns the two ends of link `index` between two nodes; both nodes count links alike.
  LinkedWorkers ends(NodeId node, NodeId peer, std::uint32_t index) const;

  WorkerLinks links(NodeId node, WorkerId worker) const;

  /// One more than the largest number of a link of a worker of `node`.
  std::uint32_t link_numbers(NodeId node) const { return degree(node) * layers(node); }

  /// Returns the number of the link from a worker of `node` to worker `peer_worker` of `peer`, of
  /// which one is the other's partner. The nodes must be connected.
  std::uint16_t link_number(NodeId node, NodeId peer, WorkerId peer_worker) const;

  /// Returns the worker of `peer` to which link `number` of worker `worker` of `node` leads; `peer`
  /// is the node at place `number` % degree(node). At least workers(peer) when there is no such
  /// link.
  std::uint32_t peer_worker(NodeId node, WorkerId worker, NodeId peer, std::uint32_t number) const;

  /// Number of rounds until each node knows that all others have reached a point. In each round
  /// every node tells the nodes that it is connected with, and waits for them. Nodes that are not
  /// connected, even through others, never learn of each other.
  std::uint32_t rounds() const { return rounds_; }

  /// Number of links from all workers of all nodes: their queue pairs, at one per link.
  std::uint64_t all_links() const;

  /// Digest; that of other links differs, most likely.
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
