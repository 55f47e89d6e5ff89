// The nodes that a client of the bench sends to.
#pragma once

#include <cstdint>

#include "rdma/base/types.h"

namespace verbena::experiments {

/// The last `servers` nodes of a cluster. A client sends to any of them except itself, unless it is
/// the only one.
class BenchPeers {
 public:
  BenchPeers(std::uint32_t nodes, std::uint32_t servers, NodeId self)
      : first_(nodes - servers),
        self_(self),
        without_self_(self_ >= first_ && servers > 1),
        count_(without_self_ ? servers - 1 : servers) {}

  /// Number of peers.
  std::uint32_t count() const { return count_; }

  /// The `index`-th peer, in the order of nodes.
  NodeId at(std::uint64_t index) const {
    const std::uint64_t node = first_ + index;
    return static_cast<NodeId>(without_self_ && node >= self_ ? node + 1 : node);
  }

  /// The peer that the random number `random` selects.
  NodeId pick(std::uint64_t random) const { return at(random % count_); }

 private:
  std::uint32_t first_;
  std::uint32_t self_;
  bool without_self_;
  std::uint32_t count_;
};

}  // namespace verbena::experiments
