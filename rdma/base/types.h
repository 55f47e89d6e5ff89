// Names of things across a cluster.
#pragma once

#include <compare>
#include <cstdint>

#include "rdma/base/id.h"

namespace verbena {

/// A machine of the cluster, from 0.
using NodeId = Id<struct NodeKind>;

/// A worker thread of a node, from 0.
using WorkerId = Id<struct WorkerKind>;

/// A registered memory region of a node, in the order in which the node added them.
using RegionId = Id<struct RegionKind>;

/// A place in the cluster's memory. Never a pointer: under simulation all nodes share one process,
/// and a stray pointer would work there.
struct RemoteAddress {
  NodeId node = 0;
  RegionId region = 0;
  std::uint64_t offset = 0;

  auto operator<=>(const RemoteAddress&) const = default;
};

}  // namespace verbena
