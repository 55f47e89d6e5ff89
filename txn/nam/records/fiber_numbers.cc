// Counting fibers server by server.
#include "txn/nam/records/fiber_numbers.h"

#include <string>

#include "rdma/base/errors.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

FiberNumbers::FiberNumbers(const View& view, std::uint32_t workers, std::uint32_t fibers)
    : workers_(workers), fibers_(fibers) {
  for (std::uint32_t n = 0; n < view.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    servers_before_.push_back(servers());
    if (view.computes(node)) nodes_.push_back(node);
  }
  const std::uint64_t all = std::uint64_t{servers()} * workers * fibers;
  if (all >= kMostSlots) {
    throw ConfigurationError(std::to_string(all) + " coroutines of all nodes; allowed are " +
                             std::to_string(kMostSlots - 1) + ", which locks can name");
  }
}

std::optional<FiberNumbers::Place> FiberNumbers::place_of(std::uint32_t number) const {
  if (number == 0 || number >= end()) return std::nullopt;
  const std::uint32_t within = (number - 1) % fibers_of_server();
  return Place{.node = nodes_[(number - 1) / fibers_of_server()],
               .worker = static_cast<WorkerId>(within / fibers_),
               .fiber = static_cast<std::uint16_t>(within % fibers_)};
}

}  // namespace verbena::txn::nam
