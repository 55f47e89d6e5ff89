// The networks that are built in, and the user's own: routes, latency, contention, failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <simgrid/s4u.hpp>

#include "rdma/seam/errors.h"
#include "simnic/topology_spec.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;
using rdma::Nanoseconds;

SimOptions with_topology(const std::string& topology, std::uint32_t nodes) {
  SimOptions options;
  options.topology = topology;
  options.nodes = nodes;
  return options;
}

/// How long a WRITE of 8 bytes takes from node `from` to node `to`, on a warm connection.
Nanoseconds latency(VerbsCluster& cluster, std::size_t from, std::size_t to) {
  const auto [qp, peer] = cluster.connected(from, to);
  VerbsNode& own = cluster.node(from);
  Nanoseconds result = 0;
  cluster.run({{static_cast<rdma::NodeId>(from), [&, qp = qp](Core& core) {
                  ibv_sge data = own.piece(0, 8);
                  for (int round = 0; round < 2; ++round) {
                    const Nanoseconds start = core.now();
                    ASSERT_EQ(post(qp, write_request(&data, cluster.node(to), 64)), 0);
                    ASSERT_EQ(await(core, own.cq).front().status, IBV_WC_SUCCESS);
                    result = core.now() - start;
                  }
                }}});
  return result;
}

/// A link and a switch more on the way there, and on the way back, with the profile's constants.
constexpr Nanoseconds kHop = 2 * (25 + 90);

/// Checks the unloaded latency between all pairs of nodes: that of the nearest pair, and a kHop for
/// each of `hops(from, to)`.
template <typename Hops>
void expect_latencies(const std::string& topology, std::uint32_t nodes, Hops hops) {
  Nanoseconds star = 0;
  {
    VerbsCluster cluster(with_topology("star", 2));
    star = latency(cluster, 0, 1);
  }
  VerbsCluster cluster(with_topology(topology, nodes));
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      // The clock shows whole nanoseconds.
      EXPECT_NEAR(static_cast<double>(latency(cluster, from, to)),
                  static_cast<double>(star + hops(from, to) * kHop), 1)
          << topology << ": from " << from << " to " << to;
    }
  }
}

TEST(Topology, LatencyGrowsWithTheLevelsOfAFatTree) {
  const auto levels_above_first = [](std::uint32_t a, std::uint32_t b) {
    return a / 2 == b / 2 ? 0 : a / 4 == b / 4 ? 2 : 4;
  };
  expect_latencies("fat-tree:3;2,2,2;1,2,2;1,1,1", 8, levels_above_first);
  expect_latencies("fat-tree:3;2,2,3;1,1,1;1,2,3", 11, levels_above_first);
}

TEST(Topology, OneSwitchOfAFatTreeIsAStar) {
  expect_latencies("fat-tree:1;4;1;1", 4, [](std::uint32_t, std::uint32_t) { return 0; });
}

TEST(Topology, LatencyGrowsWithTheDistanceOnATorusBothWaysRound) {
  // A router more than a star has, for a neighbour.
  expect_latencies("torus:5,3", 13, [](int a, int b) {
    const int x = std::abs(a % 5 - b % 5);
    const int y = std::abs(a / 5 - b / 5);
    return std::min(x, 5 - x) + std::min(y, 3 - y);
  });
}

TEST(Topology, LatencyGrowsWithTheLevelsOfADragonfly) {
  // 3 groups of 3 chassis of 3 routers of 2 nodes. Groups a and b are joined at router b of the
  // first chassis of a.
  const auto hops = [](int from, int to) {
    struct Router {
      int number, chassis, group;
    };
    Router at{from / 2 % 3, from / 6 % 3, from / 18};
    const Router end{to / 2 % 3, to / 6 % 3, to / 18};
    int links = 0;
    if (at.group != end.group) {
      links += (at.number != end.group ? 1 : 0) + (at.chassis != 0 ? 1 : 0) + 1;
      at = {at.group, 0, end.group};
    }
    return links + (at.number != end.number ? 1 : 0) + (at.chassis != end.chassis ? 1 : 0);
  };
  expect_latencies("dragonfly:3,1;3,1;3,1;2", 46,
                   [&](int from, int to) { return (hops(from, to) + hops(to, from)) / 2.0; });
}

}  // namespace
}  // namespace verbena::simnic
