// Counting node by node.
#include "txn/prism/clients.h"

#include <algorithm>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::txn::prism {

Clients::Clients(const rdma::ClusterLinks& links, const Deployment& deployment)
    : fibers_(deployment.fibers), first_{1} {
  for (std::uint32_t n = 0; n < deployment.view.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const std::uint64_t workers = deployment.view.computes(node) ? links.workers(node) : 0;
    first_.push_back(first_.back() + workers * fibers_);
  }
  if (count() <= kMostClients) return;
  throw ConfigurationError("coroutines: " + std::to_string(count()) +
                           " of all clients together; allowed are at most " +
                           std::to_string(kMostClients));
}

std::uint64_t Clients::number_of(const ClientPlace& client) const {
  return first_[client.node] + std::uint64_t{client.worker} * fibers_ + client.fiber;
}

ClientPlace Clients::of(std::uint64_t number) const {
  const auto next = std::ranges::upper_bound(first_, number);
  const auto node = static_cast<NodeId>(next - first_.begin() - 1);
  const std::uint64_t within = number - first_[node];
  return {.node = node,
          .worker = static_cast<WorkerId>(within / fibers_),
          .fiber = static_cast<std::uint32_t>(within % fibers_)};
}

}  // namespace verbena::txn::prism
