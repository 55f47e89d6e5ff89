// The fabric of real RDMA devices: libibverbs, threads and the machine's clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/seam/fabric.h"

namespace verbena::rdma {

struct HardwareOptions {
  std::uint32_t nodes = 1;     ///< of the whole cluster
  std::vector<NodeId> hosted;  ///< by this process; empty: all
  std::vector<std::string>
      addresses;  ///< "host:port" of each node's rendezvous; may be empty when all are hosted
  bool pin_threads = true;  ///< a CPU for each thread, when there are enough
};

/// Makes a fabric that runs each task on a thread, and serves the values that hosted nodes publish
/// over TCP at their addresses. When a task fails, the others end at their next turn of the event
/// loop. Throws ConfigurationError when an address is missing, malformed or cannot be listened at.
std::unique_ptr<Fabric> make_hardware_fabric(const HardwareOptions& options);

}  // namespace verbena::rdma
