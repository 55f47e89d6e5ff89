// Names of things across a cluster.
#pragma once

#include <compare>
#include <cstdint>

namespace verbena {

/// A machine of the cluster, from 0.
using NodeId = std::uint16_t;

/// A worker thread of a node, from 0.
using WorkerId = std::uint16_t;

/// A registered memory region of a node, numbered alike on all nodes.
using RegionId = std::uint16_t;

/// A place in the cluster's memory. Never a pointer: under simulation all nodes share one process,
/// and a stray pointer would work there.
struct RemoteAddress {
  NodeId node = 0;
  RegionId region = 0;
  std::uint64_t offset = 0;

  auto operator<=>(const RemoteAddress&) const = default;
};

}  // namespace verbena
