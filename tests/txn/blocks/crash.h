// Nodes of short runs that stop.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rdma/base/types.h"
#include "tests/support/crash.h"

namespace verbena::testing {

inline constexpr NodeId kReplica{1};
inline constexpr NodeId kClient{3};

/// Settings by which a death is found soon, and nobody who is alive is silent for so long.
inline const std::vector<std::pair<std::string, std::string>> kSoon = {{"suspect_after", "2ms"},
                                                                       {"heartbeat", "100us"}};

/// A point that servers come to.
inline constexpr const char* kServerRuns = "prism: sign of life heard";

}  // namespace verbena::testing
