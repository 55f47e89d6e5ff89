// A cache line that the cores of a node take from each other.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::rdma {

/// Stands for a cache line of a node's memory that several of its cores change, such as that of a
/// counter, or of a lock with the data that it guards. One core at a time has it, and moving it to
/// another takes time. In a simulation Core::change and Core::look account for that, and keep here
/// where the line is; on hardware nobody touches this. Belongs to a node.
struct SharedLine {
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  std::uint32_t last = kNobody;  ///< worker whose core changed it last
  Picoseconds free_at = 0;       ///< time at which that core has it
};

}  // namespace verbena::rdma
