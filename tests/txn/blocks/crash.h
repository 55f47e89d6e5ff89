// Nodes of short runs that stop.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/crash_point.h"

namespace verbena::testing {

inline constexpr NodeId kReplica{1};
inline constexpr NodeId kClient{3};

/// Settings by which a death is found soon, and nobody who is alive is silent for so long.
inline const std::vector<std::pair<std::string, std::string>> kSoon = {{"suspect_after", "2ms"},
                                                                       {"heartbeat", "100us"}};

/// A point that servers come to.
inline constexpr const char* kServerRuns = "blocks: sign of life heard";

/// A node that stops when it comes to a point for that time.
struct Crash : rdma::CrashPoint {
  Crash(NodeId at, const std::string& where, std::uint64_t times) {
    node = at;
    point = where;
    count = times;
  }
};

}  // namespace verbena::testing
