// One kind of node: the constants of its NICs and CPU, and values derived from them.
#pragma once

#include <array>
#include <cstdint>

#include "simnic/engine/driver_lock.h"
#include "simnic/nic/operations.h"
#include "simnic/profile/profile.h"

namespace verbena::simnic {

/// Shared by all NICs and cores of the nodes of one kind. Constant.
struct Machine {
  /// Throws ConfigurationError for constants that contradict each other.
  Machine(NicProfile nic_profile, CpuProfile cpu_profile);

  /// Costs of an operation on these machines.
  struct Costs {
    Picoseconds requester;  ///< time of a processing unit
    Picoseconds responder;
    std::int64_t request_headers;  ///< bytes on the wire beside those of each packet
    std::int64_t response_headers;
  };

  NicProfile nic;
  CpuProfile cpu;
  std::array<Costs, kOperations.size()> costs;
  ByteTime pcie_rate;
  ByteTime ports_rate;        ///< all ports of a NIC together
  Picoseconds qp_fetch_time;  ///< of the unit that fetches queue pairs' state, per miss
  unsigned page_shift;        ///< log2 of the page size
  LockCosts doorbell_lock;
  LockCosts queue_pair_lock;
};

}  // namespace verbena::simnic
