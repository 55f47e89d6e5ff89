// Links between the two nodes of an explained request.
#pragma once

#include <cstdint>
#include <memory>

#include "rdma/device/cluster_links.h"

namespace verbena::experiments {

/// Connects node 0 and the last of `nodes`, which may be the same, only with each other. Each has
/// `workers` workers.
std::shared_ptr<rdma::ClusterLinks> links_of_two_ends(std::uint32_t nodes, std::uint32_t workers);

}  // namespace verbena::experiments
