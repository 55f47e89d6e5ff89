// Numbers of the fibers of compute servers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/base/types.h"
#include "txn/view.h"

namespace verbena::txn::nam {

/// Numbers the fibers of all compute servers from 1; lock words hold these numbers. Immutable.
class FiberNumbers {
 public:
  /// Each compute server has `workers` workers with `fibers` fibers each. Throws ConfigurationError
  /// for more fibers than lock words can name.
  FiberNumbers(const View& view, std::uint32_t workers, std::uint32_t fibers);

  struct Place {
    NodeId node;
    WorkerId worker;
    std::uint16_t fiber;
  };

  /// The number of a fiber.
  std::uint32_t of(NodeId node, WorkerId worker, std::uint16_t fiber) const {
    return 1 + servers_before_[node] * fibers_of_server() + worker * fibers_ + fiber;
  }

  /// Returns the fiber with this number, if there is one.
  std::optional<Place> place_of(std::uint32_t number) const;

  /// One more than the highest number.
  std::uint32_t end() const { return 1 + servers() * fibers_of_server(); }

  /// Number of compute servers.
  std::uint32_t servers() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Number of compute servers with lower numbers than `node`.
  std::uint32_t servers_before(NodeId node) const { return servers_before_[node]; }
  /// Number of workers of all compute servers.
  std::uint32_t workers() const { return servers() * workers_; }
  std::uint32_t fibers_of_server() const { return workers_ * fibers_; }

 private:
  std::uint32_t workers_;                      // of a server
  std::uint32_t fibers_;                       // of a worker
  std::vector<NodeId> nodes_;                  // compute servers
  std::vector<std::uint32_t> servers_before_;  // [node]
};

}  // namespace verbena::txn::nam
