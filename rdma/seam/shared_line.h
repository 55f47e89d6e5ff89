// A cache line that the cores of a node take from each other.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::rdma {

/// Stands for a cache line of a node's memory that several of its cores change: that of a counter,
/// or of a lock with what it guards. One core at a time has it, and it takes time to get from one
/// to the next. Core::change and Core::look account for that under simulation, and keep here where
/// the line is; on hardware it is where it is, and nobody touches this. Belongs to a node.
struct SharedLine {
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  std::uint32_t last = kNobody;  ///< worker whose core changed it last
  Picoseconds free_at = 0;       ///< when that core has it
};

}  // namespace verbena::rdma
