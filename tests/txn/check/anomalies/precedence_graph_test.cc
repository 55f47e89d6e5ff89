// Cycles are found where there are any, and no shorter one exists.
#include "txn/check/anomalies/precedence_graph.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>

#include "rdma/base/random.h"

namespace verbena::txn {
namespace {

using Node = PrecedenceGraph::Node;

// True if a path of at most `steps` edges leads from `from` to `to`.
bool leads(const PrecedenceGraph& graph, Node nodes, Node from, Node to, std::size_t steps) {
  std::vector<bool> reached(nodes);
  reached[from] = true;
  for (std::size_t i = 0; i < steps; ++i) {
    std::vector<bool> next = reached;
    for (Node a = 0; a < nodes; ++a) {
      for (Node b = 0; b < nodes; ++b) {
        if (reached[a] && (graph.has_edge(a, b) || graph.ended_before(a, b))) next[b] = true;
      }
    }
    reached = next;
    if (reached[to] && i + 1 < steps && from != to) return true;
  }
  return reached[to];
}

// The number of nodes of a shortest cycle, 0 without one, by looking at all paths.
std::size_t shortest_by_looking(const PrecedenceGraph& graph, Node nodes) {
  for (std::size_t length = 2; length <= nodes; ++length) {
    for (Node start = 0; start < nodes; ++start) {
      for (Node last = 0; last < nodes; ++last) {
        if (last == start || !(graph.has_edge(last, start) || graph.ended_before(last, start))) {
          continue;
        }
        if (leads(graph, nodes, start, last, length - 1)) return length;
      }
    }
  }
  return 0;
}

void expect_cycle(const PrecedenceGraph& graph, const std::vector<Node>& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Node next = cycle[(i + 1) % cycle.size()];
    EXPECT_TRUE(graph.has_edge(cycle[i], next) || graph.ended_before(cycle[i], next));
  }
  std::vector<Node> sorted = cycle;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << "a node comes twice";
}

TEST(PrecedenceGraph, OfAChainHasNoCycle) {
  EXPECT_TRUE(PrecedenceGraph(3, {{0, 1}, {1, 2}, {0, 2}, {1, 1}}).shortest_cycle().empty());
}

TEST(PrecedenceGraph, PrefersTheShorterOfTwoCycles) {
  const PrecedenceGraph graph(7, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 4}});
  const std::vector<Node> cycle = graph.shortest_cycle();
  EXPECT_EQ(cycle.size(), 3U);
  expect_cycle(graph, cycle);
}

TEST(PrecedenceGraph, ClosesCyclesByTime) {
  // 0 comes before 2 by an edge, and after it by way of 1, which begins after the end of 2.
  const std::vector<Interval> times = {{0, 50}, {30, 40}, {10, 20}};
  const PrecedenceGraph graph(3, {{0, 2}, {1, 0}}, times);
  EXPECT_EQ(graph.shortest_cycle().size(), 3U);
  EXPECT_TRUE(PrecedenceGraph(3, {{0, 2}, {1, 0}}).shortest_cycle().empty());
}

TEST(PrecedenceGraph, FindsACycleAmongHundredsOfThousandsInTime) {
  constexpr Node kNodes = 300'000;
  PrecedenceGraph::Edges edges;
  std::vector<Interval> times;
  for (Node node = 0; node < kNodes; ++node) {
    if (node + 1 < kNodes) edges.emplace_back(node, node + 1);
    times.push_back({node, node + 100});
  }
  edges.emplace_back(kNodes - 10, kNodes - 200);
  const PrecedenceGraph graph(kNodes, edges, times);
  expect_cycle(graph, graph.shortest_cycle());
  EXPECT_FALSE(graph.shortest_cycle().empty());
}

RC_GTEST_PROP(PrecedenceGraph, FindsAShortestCycleOrNone, (std::uint64_t seed)) {
  Random random(seed);
  const auto nodes = static_cast<Node>(2 + random.below(8));
  PrecedenceGraph::Edges edges;
  for (std::uint64_t i = random.below(2 * nodes + 1); i > 0; --i) {
    edges.emplace_back(random.below(nodes), random.below(nodes));
  }
  std::vector<Interval> times;
  const bool timed = random.below(2) == 0;
  for (Node node = 0; timed && node < nodes; ++node) {
    const auto begin = static_cast<std::int64_t>(random.below(30));
    times.push_back({begin, begin + static_cast<std::int64_t>(random.below(20))});
  }
  const PrecedenceGraph graph(nodes, edges, times);
  const std::vector<Node> cycle = graph.shortest_cycle();
  RC_ASSERT(cycle.size() == shortest_by_looking(graph, nodes));
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Node next = cycle[(i + 1) % cycle.size()];
    RC_ASSERT(graph.has_edge(cycle[i], next) || graph.ended_before(cycle[i], next));
  }
}

}  // namespace
}  // namespace verbena::txn
