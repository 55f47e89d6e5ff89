// The networks that are built in, and the user's own: routes, latency, contention, failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <simgrid/s4u.hpp>

#include "rdma/base/errors.h"
#include "simnic/observe/observer.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

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
  cluster.run({{static_cast<NodeId>(from), [&, qp = qp](Core& core) {
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
constexpr Nanoseconds kHop = 2 * (25_ns + 90_ns);

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
      EXPECT_NEAR(
          static_cast<double>(latency(cluster, from, to).count()),
          static_cast<double>(star.count()) + hops(from, to) * static_cast<double>(kHop.count()), 1)
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

TEST(Topology, NicsMayHaveSeveralCables) {
  for (const char* topology : {"fat-tree:2;4,2;2,1;2,1", "fat-tree:2;4,2;1,2;2,2"}) {
    VerbsCluster cluster(with_topology(topology, 8));
    for (std::uint32_t from = 1; from < 8; ++from) {
      EXPECT_GT(latency(cluster, from, 0), 1'500_ns) << topology;
      EXPECT_LT(latency(cluster, from, 0), 4'000_ns) << topology;
    }
  }
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

/// Learns the names of links.
class LinkNames final : public Observer {
 public:
  void begin(Stage, const RequestIdentity&, Picoseconds) override {}
  void visit(const Visit&) override {}
  void end(Picoseconds, Picoseconds, Picoseconds) override {}
  void name_link(std::uint32_t, const std::string& name) override { names.push_back(name); }
  void core_ran(NodeId, WorkerId, Picoseconds, Picoseconds) override {}
  void on_core(NodeId, WorkerId) override {}

  std::vector<std::string> names;
};

TEST(Topology, ALinkThatFailsByNameStopsWhatGoesOverItUntilItIsUpAgain) {
  for (const char* topology :
       {"star", "fat-tree:2;2,2;1,2;1,1", "dragonfly:2,1;1,1;2,1;1", "torus:2,2"}) {
    LinkNames links;
    SimOptions options = with_topology(topology, 4);
    options.observer = &links;
    VerbsCluster cluster(options);
    const auto [qp, peer] = cluster.connected(0, 3);
    VerbsNode& a = cluster.node(0);
    cluster.run({{0,
                  [&, qp = qp](Core& core) {
                    ibv_sge found = a.piece(0, 8);
                    const ibv_send_wr add = fetch_and_add_request(&found, cluster.node(3), 0, 1);
                    ASSERT_EQ(post(qp, add), 0);
                    ASSERT_EQ(await(core, a.cq).front().status, IBV_WC_SUCCESS);
                    // In the middle of the way there.
                    ASSERT_GE(links.names.size(), 4U);
                    simgrid::s4u::Link::by_name(links.names[1])->turn_off();
                    ASSERT_EQ(post(qp, add), 0);
                    ASSERT_EQ(await(core, a.cq).front().status, IBV_WC_SUCCESS);
                  }},
                 {1, [&](Core& core) {
                    core.idle(14'000_ns);
                    simgrid::s4u::Link::by_name(links.names[1])->turn_on();
                  }}});
    EXPECT_EQ(cluster.node(3).at<std::uint64_t>(0), 2U) << topology;
    EXPECT_GE(cluster.counter(0, "retries"), 1U) << topology;
  }
}

TEST(Topology, NicsOfOneNodeReachEachOther) {
  for (const char* topology :
       {"star", "fat-tree:2;2,2;1,2;1,1", "dragonfly:2,1;1,1;2,1;1", "torus:2,2"}) {
    SimOptions options = with_topology(topology, 4);
    options.nics_per_node = 2;
    const auto fabric = make_sim_fabric(options);
    const auto* near = simgrid::s4u::Host::by_name("node-2");
    const auto* far = simgrid::s4u::Host::by_name("node-2.sim1");
    std::vector<simgrid::s4u::Link*> links;
    double seconds = 0;
    near->route_to(far, links, &seconds);
    EXPECT_EQ(links.size(), 2U) << topology << ": a cable each, to the same switch";
  }
}

std::uint64_t digest_of_reads(const std::string& topology) {
  VerbsCluster cluster(with_topology(topology, 6));
  for (std::size_t to = 1; to < 6; ++to) latency(cluster, 0, to);
  return cluster.fabric().trace_digest();
}

TEST(Topology, ARunIsTheSameWhateverNetworksTheProcessHadBefore) {
  for (const char* topology :
       {"star", "fat-tree:2;3,3;1,2;1,3", "dragonfly:2,1;2,1;2,1;1", "torus:3,2"}) {
    const std::uint64_t first = digest_of_reads(topology);
    digest_of_reads("fat-tree:2;1,7;1,3;1,1");
    EXPECT_EQ(digest_of_reads(topology), first) << topology;
  }
}

/// Three hosts in a row, not in the order of their names, one of them unused.
constexpr const char* kPlatform = R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Floyd">
<host id="h10" speed="1Gf"/><host id="h9" speed="1Gf"/><host id="h1" speed="1Gf"/>
<link id="short" bandwidth="100Gbps" latency="1us" sharing_policy="SPLITDUPLEX"/>
<link id="long" bandwidth="100Gbps" latency="5us" sharing_policy="SPLITDUPLEX"/>
<route src="h1" dst="h9"><link_ctn id="short" direction="UP"/></route>
<route src="h9" dst="h10"><link_ctn id="long" direction="UP"/></route>
</zone></platform>)";

std::string write_platform(const std::string& text) {
  std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/platform.xml";
  std::ofstream(path) << text;
  return path;
}

TEST(Platform, NodesAreTheFirstHostsByNameWithNumbersInOrder) {
  SimOptions options;
  options.platform = write_platform(kPlatform);
  options.nodes = 3;
  VerbsCluster cluster(options);
  const Nanoseconds near = latency(cluster, 0, 1);
  const Nanoseconds far = latency(cluster, 0, 2);
  EXPECT_GT(near, 2'000_ns);
  EXPECT_NEAR(static_cast<double>(far.count()), static_cast<double>((near + 2 * 5'000_ns).count()),
              1)
      << "by the middle";
}

TEST(Platform, WithLinksThatCannotBeIsRefused) {
  const std::string good = R"(bandwidth="100Gbps" latency="5us")";
  for (const char* bad :
       {R"(bandwidth="0Bps" latency="5us")", R"(bandwidth="-5GBps" latency="5us")",
        R"(bandwidth="100Gbps" latency="-5us")"}) {
    std::string text = kPlatform;
    text.replace(text.find(good), good.size(), bad);
    SimOptions options;
    options.platform = write_platform(text);
    options.nodes = 3;
    EXPECT_THROW(make_sim_fabric(options), ConfigurationError) << bad;
  }
}

TEST(Torus, WithDimensionsOfOnePlaceCanBeMade) {
  for (const char* torus : {"torus", "torus:1,2,1", "torus:2,1,1,1"}) {
    for (const std::uint32_t nodes : {1U, 2U}) {
      SimOptions options;
      options.topology = torus;
      options.nodes = nodes;
      EXPECT_NO_THROW(make_sim_fabric(options)) << torus;
    }
  }
}

TEST(Platform, WithFewerHostsThanNodesIsRefused) {
  SimOptions options;
  options.platform = write_platform(kPlatform);
  options.nodes = 4;
  EXPECT_THROW(make_sim_fabric(options), ConfigurationError);
}

}  // namespace
}  // namespace verbena::simnic
