// Workers, the links between them and the links' numbers, as every node computes them.
#include "rdma/device/cluster_links.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

using Linked = std::function<bool(std::size_t, std::size_t)>;

const Linked kAll = [](std::size_t, std::size_t) { return true; };
/// Groups 0 and 1 talk to each other, not among themselves.
const Linked kAcross = [](std::size_t a, std::size_t b) { return a != b; };

NodeGroup group(std::uint32_t workers, bool own_node = true) {
  return {.name = "some", .workers = workers, .nics = 1, .own_node = own_node};
}

std::vector<NodeId> nodes_of(const ClusterLinks& connections) {
  std::vector<NodeId> nodes(connections.nodes());
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  return nodes;
}

/// Calls `action` with each worker of each node.
void for_each_worker(const ClusterLinks& connections,
                     const std::function<void(NodeId, WorkerId)>& action) {
  for (const NodeId node : nodes_of(connections)) {
    const auto workers = static_cast<WorkerId>(connections.workers(node));
    for (WorkerId worker = 0; worker < workers; ++worker) action(node, worker);
  }
}

/// Clusters of all sorts: sizes that divide each other and that do not, with and without own nodes.
std::vector<ClusterLinks> clusters() {
  std::vector<ClusterLinks> result;
  result.push_back(ClusterLinks::alike(4, 3, 2));
  for (const bool own_node : {true, false}) {
    for (const Linked& linked : {kAll, kAcross}) {
      result.push_back({{group(3, own_node), group(1, own_node)}, {0, 0, 1}, linked});
      result.push_back({{group(7, own_node), group(3)}, {1, 0, 1, 0, 0}, linked});
      result.push_back({{group(2), group(9), group(4, own_node)}, {2, 0, 1, 1, 2}, linked});
    }
  }
  return result;
}

TEST(ClusterLinks, WhereAllNodesAreAlikeNumbersArePeersAndWorkersHaveTheSameNumber) {
  const ClusterLinks alike = ClusterLinks::alike(5, 4, 2);
  EXPECT_EQ(alike.degree(3), 5U);
  EXPECT_EQ(alike.link_numbers(3), 5U);
  EXPECT_EQ(alike.peers(2), (std::vector<NodeId>{0, 1, 2, 3, 4}));
  EXPECT_EQ(alike.rounds(), 1U);
  EXPECT_EQ(alike.all_links(), 5U * 4 * 5);
  for (NodeId peer = 0; peer < 5; ++peer) {
    EXPECT_EQ(alike.place(1, peer), peer);
    for (WorkerId worker = 0; worker < 4; ++worker) {
      EXPECT_EQ(alike.partner(1, worker, peer), worker);
      EXPECT_EQ(alike.link_number(1, peer, worker), peer);
    }
  }
}

TEST(ClusterLinks, AWorkerOfASmallNodeAnswersSeveralOfALargeOneAndPostsToTheFirst) {
  const ClusterLinks connections({group(3), group(1)}, {0, 0, 1}, kAll);
  EXPECT_EQ(connections.partner(0, 2, 2), 0);
  EXPECT_EQ(connections.partner(2, 0, 1), 0);
  const WorkerLinks small = connections.links(2, 0);
  EXPECT_EQ(small.channels, 3U);
  EXPECT_EQ(small.all, 3U + 3U + 1U);
  EXPECT_EQ(small.senders, 6U);
  const WorkerLinks large = connections.links(0, 2);
  EXPECT_EQ(large.channels, 3U);
  EXPECT_EQ(large.all, 3U);
  EXPECT_EQ(large.senders, 2U);
  EXPECT_EQ(connections.link_number(2, 0, 0), 0);
  EXPECT_EQ(connections.link_number(2, 0, 1), 3);
  EXPECT_EQ(connections.link_number(2, 1, 2), 7);
}

// The two ends of a link number it each for itself; no two links of a worker have one number.
TEST(ClusterLinks, NumbersNameLinksFromBothEnds) {
  for (const ClusterLinks& connections : clusters()) {
    for_each_worker(connections, [&](NodeId node, WorkerId worker) {
      std::uint32_t found = 0;
      const std::vector<NodeId> peers = connections.peers(node);
      for (std::uint32_t link = 0; link < connections.link_numbers(node); ++link) {
        const NodeId peer = peers[link % peers.size()];
        const std::uint32_t other = connections.peer_worker(node, worker, peer, link);
        if (other >= connections.workers(peer)) continue;
        ++found;
        EXPECT_EQ(connections.link_number(node, peer, static_cast<WorkerId>(other)), link);
        const std::uint16_t back = connections.link_number(peer, node, worker);
        EXPECT_EQ(connections.peer_worker(peer, static_cast<WorkerId>(other), node, back), worker);
        const bool posts = connections.partner(node, worker, peer) == other;
        EXPECT_EQ(posts, link < peers.size());
        EXPECT_TRUE(posts ||
                    connections.partner(peer, static_cast<WorkerId>(other), node) == worker);
      }
      EXPECT_EQ(found, connections.links(node, worker).all);
    });
  }
}

TEST(ClusterLinks, PlacesCountTheConnectedNodesInOrder) {
  for (const ClusterLinks& connections : clusters()) {
    for (const NodeId node : nodes_of(connections)) {
      std::vector<NodeId> peers;
      for (const NodeId peer : nodes_of(connections)) {
        EXPECT_EQ(connections.connected(node, peer), connections.connected(peer, node));
        if (!connections.connected(node, peer)) continue;
        EXPECT_EQ(connections.place(node, peer), peers.size());
        peers.push_back(peer);
      }
      EXPECT_EQ(connections.peers(node), peers);
      EXPECT_EQ(connections.degree(node), peers.size());
    }
  }
}

TEST(ClusterLinks, EveryWorkerHasAPartnerAndEveryLinkHasTwoEnds) {
  for (const ClusterLinks& connections : clusters()) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> links;
    std::uint64_t own = 0;
    for_each_worker(connections, [&](NodeId node, WorkerId worker) {
      for (const NodeId peer : connections.peers(node)) {
        const std::uint32_t from = node * 1000U + worker;
        const std::uint32_t to = peer * 1000U + connections.partner(node, worker, peer);
        links.insert({std::min(from, to), std::max(from, to)});
        own += from == to ? 1 : 0;
      }
    });
    EXPECT_EQ(connections.all_links(), 2 * links.size() - own);
  }
}

TEST(ClusterLinks, RoundsAreTheLongestWayBetweenNodes) {
  const std::vector<NodeGroup> three = {group(1), group(1), group(1)};
  const Linked chain = [](std::size_t a, std::size_t b) { return a + 1 == b; };
  EXPECT_EQ(ClusterLinks({group(1), group(1)}, {0, 0, 1, 1}, kAcross).rounds(), 2U);
  EXPECT_EQ(ClusterLinks({group(1), group(1)}, {0, 1}, kAcross).rounds(), 1U);
  EXPECT_EQ(ClusterLinks(three, {0, 1, 2}, chain).rounds(), 2U);
  const Linked none = [](std::size_t, std::size_t) { return false; };
  EXPECT_EQ(ClusterLinks(three, {0, 1, 2}, none).rounds(), 1U);
}

TEST(ClusterLinks, DigestsTellThemApart) {
  const std::uint32_t one = ClusterLinks({group(3), group(1)}, {0, 0, 1}, kAll).digest();
  EXPECT_EQ(one, ClusterLinks({group(3), group(1)}, {0, 0, 1}, kAll).digest());
  EXPECT_NE(one, ClusterLinks({group(3), group(2)}, {0, 0, 1}, kAll).digest());
  EXPECT_NE(one, ClusterLinks({group(3), group(1)}, {0, 1, 1}, kAll).digest());
  EXPECT_NE(one, ClusterLinks({group(3), group(1)}, {0, 0, 1}, kAcross).digest());
  EXPECT_NE(one, ClusterLinks({group(3, false), group(1)}, {0, 0, 1}, kAll).digest());
}

TEST(ClusterLinks, OutOfRangeIsAnErrorThatNamesTheGroup) {
  const auto message = [](std::vector<NodeGroup> groups, std::vector<std::uint16_t> group_of) {
    try {
      const ClusterLinks connections(std::move(groups), std::move(group_of), kAll);
    } catch (const ConfigurationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({group(0)}, {0}), "nodes 'some': workers is 0, allowed are 1 to 1024");
  EXPECT_EQ(message({{.name = "memory", .workers = 2, .nics = 3}}, {0}),
            "nodes 'memory': nics is 3, allowed are 1 to 2");
  EXPECT_EQ(message({group(1)}, {0, 1}), "a node is one of group 1, there are 1");
  EXPECT_EQ(message({group(1)}, {}), "nodes is 0, allowed are 1 to 65534");
  std::vector<std::uint16_t> many(100, 0);
  many.back() = 1;
  EXPECT_EQ(message({group(1024), group(1)}, many),
            "node 99: 102400 links of a worker, allowed are 65534; more workers of the node have "
            "fewer each");
}

}  // namespace
}  // namespace verbena::rdma
