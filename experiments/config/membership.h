// Cluster of a process, as far as it can be known of one that is refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rdma/base/types.h"

namespace verbena::experiments {

/// Addresses of all processes of a cluster, and which of them is the own one.
struct Membership {
  NodeId node = 0;
  std::vector<std::string> peers;
};

/// Reads --peers and --node, wherever `arguments` of run or bench say them, whatever else these
/// say. Nothing where one of both is missing, given twice or not allowed.
std::optional<Membership> membership_of(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
