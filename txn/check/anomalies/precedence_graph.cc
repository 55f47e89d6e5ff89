// The search for a shortest cycle: breadth first from each node that lies on one.
#include "txn/check/anomalies/precedence_graph.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "txn/check/anomalies/strong_components.h"

namespace verbena::txn {

// Breadth-first searches within one strongly connected component, where there are no cycles of two.
class CycleSearch {
 public:
  using Node = PrecedenceGraph::Node;
  static constexpr std::size_t kLeast = 3;

  CycleSearch(const PrecedenceGraph& graph, std::vector<Node> component)
      : graph_(graph),
        members_(std::move(component)),
        reached_(graph.nodes_),
        came_from_(reached_) {
    const auto begin_of = [this](Node node) { return graph_.intervals_[node].begin; };
    std::ranges::sort(members_);
    if (!graph_.intervals_.empty()) std::ranges::stable_sort(members_, {}, begin_of);
  }

  /// A shortest cycle of less than `limit` nodes, of those through the nodes that were looked at
  /// until `steps` had been made; empty: none.
  std::vector<Node> shortest(std::size_t limit, std::uint64_t& steps) {
    std::vector<Node> best;
    const std::vector<bool> is_member = membership();
    for (const Node start : members_) {
      if (limit <= kLeast || (steps == 0 && limit != SIZE_MAX)) break;
      std::vector<Node> found = through(start, limit, is_member, steps);
      if (found.empty()) continue;
      limit = found.size();
      best = std::move(found);
    }
    return best;
  }

 private:
  std::vector<bool> membership() const {
    std::vector<bool> is_member(graph_.nodes_);
    for (const Node node : members_) is_member[node] = true;
    return is_member;
  }

  std::vector<Node> through(Node start, std::size_t limit, const std::vector<bool>& is_member,
                            std::uint64_t& steps) {
    ++search_;
    later_ = members_.size();
    std::vector<Node> wave = {start};
    reached_[start] = search_;
    for (std::size_t length = 1; length < limit && !wave.empty(); ++length) {
      std::vector<Node> next;
      for (const Node node : wave) {
        if (node != start && (graph_.has_edge(node, start) || graph_.ended_before(node, start))) {
          return path_to(node, start);
        }
        for (const auto& [from, to] : graph_.edges_from(node)) {
          if (is_member[to]) reach(to, from, next, steps);
        }
        reach_later(node, next, steps);
      }
      wave = std::move(next);
    }
    return {};
  }

  void reach(Node node, Node from, std::vector<Node>& next, std::uint64_t& steps) {
    steps -= std::min<std::uint64_t>(steps, 1);
    if (reached_[node] == search_) return;
    reached_[node] = search_;
    came_from_[node] = from;
    next.push_back(node);
  }

  // Reaches the nodes that begin after the end of `node`: a part at the end of members_, which only
  // grows.
  void reach_later(Node node, std::vector<Node>& next, std::uint64_t& steps) {
    if (graph_.intervals_.empty()) return;
    while (later_ > 0 && graph_.ended_before(node, members_[later_ - 1])) {
      reach(members_[--later_], node, next, steps);
    }
  }

  std::vector<Node> path_to(Node node, Node start) const {
    std::vector<Node> path = {node};
    while (path.back() != start) path.push_back(came_from_[path.back()]);
    std::ranges::reverse(path);
    return path;
  }

  const PrecedenceGraph& graph_;
  std::vector<Node> members_;           // by their beginnings, where they have such
  std::vector<std::uint32_t> reached_;  // the last search that did
  std::vector<Node> came_from_;
  std::uint32_t search_ = 0;
  std::size_t later_ = 0;  // members_ from here on have been reached by their time
};

namespace {

// "Ended before the other began" has as many pairs as there are pairs of nodes. So a chain of
// further nodes stands for time: node k of it comes after the k + 1 nodes that ended first, and
// before all that began after these.
PrecedenceGraph::Edges with_time(PrecedenceGraph::Node nodes, PrecedenceGraph::Edges edges,
                                 const std::vector<Interval>& intervals) {
  std::vector<PrecedenceGraph::Node> by_end(nodes);
  std::iota(by_end.begin(), by_end.end(), 0U);
  const auto end_of = [&](PrecedenceGraph::Node node) { return intervals[node].end; };
  std::ranges::stable_sort(by_end, {}, end_of);
  for (PrecedenceGraph::Node k = 0; k < nodes; ++k) {
    edges.emplace_back(by_end[k], nodes + k);
    if (k > 0) edges.emplace_back(nodes + k - 1, nodes + k);
  }
  for (PrecedenceGraph::Node node = 0; node < nodes; ++node) {
    const auto ended = static_cast<PrecedenceGraph::Node>(
        std::ranges::lower_bound(by_end, intervals[node].begin, {}, end_of) - by_end.begin());
    if (ended > 0) edges.emplace_back(nodes + ended - 1, node);
  }
  std::ranges::sort(edges);
  return edges;
}

}  // namespace

PrecedenceGraph::PrecedenceGraph(Node nodes, Edges edges, std::vector<Interval> intervals)
    : nodes_(nodes), edges_(std::move(edges)), intervals_(std::move(intervals)) {
  std::erase_if(edges_, [](const auto& edge) { return edge.first == edge.second; });
  std::ranges::sort(edges_);
}

bool PrecedenceGraph::has_edge(Node from, Node to) const {
  return std::ranges::binary_search(edges_, std::pair(from, to));
}

bool PrecedenceGraph::ended_before(Node from, Node to) const {
  return !intervals_.empty() && intervals_[from].end < intervals_[to].begin;
}

std::span<const std::pair<PrecedenceGraph::Node, PrecedenceGraph::Node>>
PrecedenceGraph::edges_from(Node node) const {
  const auto first = std::ranges::lower_bound(edges_, std::pair(node, Node{0}));
  auto last = first;
  while (last != edges_.end() && last->first == node) ++last;
  return {first, last};
}

std::vector<PrecedenceGraph::Node> PrecedenceGraph::cycle_of_two() const {
  for (const auto& [from, to] : edges_) {
    if (has_edge(to, from) || ended_before(to, from)) return {from, to};
  }
  return {};
}

std::vector<PrecedenceGraph::Node> PrecedenceGraph::shortest_cycle() const {
  std::vector<std::vector<Node>> components =
      intervals_.empty() ? strong_components(nodes_, edges_)
                         : strong_components(2 * nodes_, with_time(nodes_, edges_, intervals_));
  if (components.empty()) return {};
  if (std::vector<Node> two = cycle_of_two(); !two.empty()) return two;
  std::ranges::stable_sort(components, {}, &std::vector<Node>::size);
  std::uint64_t steps = 200'000'000;
  std::vector<Node> best;
  for (std::vector<Node>& component : components) {
    const std::size_t limit = best.empty() ? SIZE_MAX : best.size();
    if (limit <= CycleSearch::kLeast || (steps == 0 && !best.empty())) break;
    std::erase_if(component, [this](Node node) { return node >= nodes_; });
    std::vector<Node> found = CycleSearch(*this, std::move(component)).shortest(limit, steps);
    if (!found.empty()) best = std::move(found);
  }
  return best;
}

}  // namespace verbena::txn
