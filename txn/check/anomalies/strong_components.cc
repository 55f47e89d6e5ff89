// Tarjan's algorithm, with a stack of its own instead of the thread's.
#include "txn/check/anomalies/strong_components.h"

#include <algorithm>
#include <cstddef>

namespace verbena::txn {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

class Components {
 public:
  Components(std::uint32_t nodes, std::span<const Edge> edges)
      : edges_(edges), first_edge_(nodes + 1), number_(nodes), lowest_(nodes), waits_(nodes) {
    for (const Edge& edge : edges) ++first_edge_[edge.first + 1];
    for (std::uint32_t node = 0; node < nodes; ++node) first_edge_[node + 1] += first_edge_[node];
  }

  std::vector<std::vector<std::uint32_t>> find() {
    for (std::uint32_t node = 0; node < number_.size(); ++node) {
      if (number_[node] == 0) visit_from(node);
    }
    return std::move(found_);
  }

 private:
  struct Visit {
    std::uint32_t node;
    std::size_t next_edge;
  };

  void enter(std::uint32_t node) {
    number_[node] = lowest_[node] = ++visited_;
    waiting_.push_back(node);
    waits_[node] = true;
    path_.push_back({node, first_edge_[node]});
  }

  void visit_from(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      Visit& visit = path_.back();
      const std::uint32_t node = visit.node;
      if (visit.next_edge < first_edge_[node + 1]) {
        const std::uint32_t to = edges_[visit.next_edge++].second;
        if (number_[to] == 0) {
          enter(to);
        } else if (waits_[to]) {
          lowest_[node] = std::min(lowest_[node], number_[to]);
        }
        continue;
      }
      path_.pop_back();
      if (lowest_[node] == number_[node]) take_component(node);
      if (!path_.empty()) {
        std::uint32_t& lowest = lowest_[path_.back().node];
        lowest = std::min(lowest, lowest_[node]);
      }
    }
  }

  void take_component(std::uint32_t root) {
    std::vector<std::uint32_t> component;
    do {
      component.push_back(waiting_.back());
      waits_[waiting_.back()] = false;
      waiting_.pop_back();
    } while (component.back() != root);
    if (component.size() > 1) found_.push_back(std::move(component));
  }

  std::span<const Edge> edges_;
  std::vector<std::size_t> first_edge_;  // of each node, then the number of all
  std::vector<std::uint32_t> number_;    // in the order of visits, from 1; 0: not yet
  std::vector<std::uint32_t> lowest_;    // that can be reached, of nodes of no component yet
  std::vector<bool> waits_;              // for its component
  std::vector<std::uint32_t> waiting_;
  std::vector<Visit> path_;
  std::uint32_t visited_ = 0;
  std::vector<std::vector<std::uint32_t>> found_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> strong_components(std::uint32_t nodes,
                                                          std::span<const Edge> edges) {
  return Components(nodes, edges).find();
}

}  // namespace verbena::txn
