// A graph of precedence, and its shortest contradiction: a cycle.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace verbena::txn {

/// An interval of any clock.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A directed graph. Where nodes have intervals, a node also comes before all nodes that begin
/// after its end; these edges, up to a square of the nodes, are not stored.
class PrecedenceGraph {
 public:
  using Node = std::uint32_t;
  using Edges = std::vector<std::pair<Node, Node>>;

  /// Edges from a node to itself do not count. `intervals`: one per node, or none at all.
  PrecedenceGraph(Node nodes, Edges edges, std::vector<Interval> intervals = {});

  /// Returns the nodes of a shortest cycle, each before the next and the last before the first;
  /// empty when there is none. If the search takes too long (some 10^8 steps), the cycle is only
  /// the shortest through the nodes visited.
  std::vector<Node> shortest_cycle() const;

  bool has_edge(Node from, Node to) const;
  bool ended_before(Node from, Node to) const;

 private:
  friend class CycleSearch;

  std::span<const std::pair<Node, Node>> edges_from(Node node) const;
  std::vector<Node> cycle_of_two() const;

  Node nodes_;
  Edges edges_;  // sorted
  std::vector<Interval> intervals_;
};

}  // namespace verbena::txn
