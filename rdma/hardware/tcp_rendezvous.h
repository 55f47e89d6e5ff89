// A rendezvous over TCP, for nodes in different processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/rendezvous.h"

namespace verbena::rdma {

/// Each hosted node listens at its address and serves what it has published; others ask again until
/// it has. `addresses` are "host:port" or "[v6]:port", one per node. Throws ConfigurationError when
/// one is missing, malformed or cannot be listened at.
std::unique_ptr<Rendezvous> make_tcp_rendezvous(std::uint32_t nodes,
                                                const std::vector<NodeId>& hosted,
                                                const std::vector<std::string>& addresses);

}  // namespace verbena::rdma
