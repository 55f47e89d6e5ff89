// The two ends of what is explained.
#pragma once

#include <cstdint>
#include <memory>

#include "rdma/device/cluster_links.h"

namespace verbena::experiments {

/// Node 0 and the last of `nodes`, which may be the same, are connected with each other alone, each
/// with so many workers.
std::shared_ptr<rdma::ClusterLinks> links_of_two_ends(std::uint32_t nodes, std::uint32_t workers);

}  // namespace verbena::experiments
