// A group for the ends, and one for all others.
#include "experiments/explain/two_ends.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace verbena::experiments {

std::shared_ptr<rdma::ClusterLinks> links_of_two_ends(std::uint32_t nodes, std::uint32_t workers) {
  std::vector<std::uint16_t> group_of(nodes, 1);
  group_of.front() = group_of.back() = 0;
  const rdma::NodeGroup ends{.name = "ends", .workers = workers, .nics = 1, .own_node = nodes == 1};
  const rdma::NodeGroup others{.name = "others", .workers = 1, .nics = 1, .own_node = false};
  return std::make_shared<rdma::ClusterLinks>(
      std::vector{ends, others}, std::move(group_of),
      [](std::size_t a, std::size_t b) { return a == 0 && b == 0; });
}

}  // namespace verbena::experiments
