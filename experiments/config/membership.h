// The cluster of a process, read from arguments that may be invalid otherwise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rdma/base/types.h"

namespace verbena::experiments {

/// Addresses of all processes of a cluster, and the number of this one.
struct Membership {
  NodeId node = 0;
  std::vector<std::string> peers;
};

/// Reads --peers and --node from the arguments of run or bench, ignoring all others. Nothing when
/// one of the two is missing, given twice or invalid.
std::optional<Membership> membership_of(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
