// Nodes of short runs that stop.
#pragma once

#include <cstdint>
#include <string>

#include "rdma/base/types.h"
#include "rdma/seam/crash_point.h"

namespace verbena::testing {

/// A node that stops when it comes to a point for that time.
struct Crash : rdma::CrashPoint {
  Crash(NodeId at, const std::string& where, std::uint64_t times) {
    node = at;
    point = where;
    count = times;
  }
};

}  // namespace verbena::testing
