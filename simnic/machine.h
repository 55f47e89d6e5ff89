// One kind of node: the constants of its NICs and CPU, and values derived from them.
#pragma once

#include <infiniband/verbs.h>

#include <array>

#include "simnic/driver_lock.h"
#include "simnic/event_queue.h"
#include "simnic/profile.h"

namespace verbena::simnic {

/// Shared by all NICs and cores of the nodes of one kind. Constant.
struct Machine {
  /// Throws ConfigurationError for constants that contradict each other.
  Machine(NicProfile nic_profile, CpuProfile cpu_profile);

  struct ServiceTimes {
    Picoseconds requester;
    Picoseconds responder;
  };

  NicProfile nic;
  CpuProfile cpu;
  std::array<ServiceTimes, 8> service;  ///< [opcode], of a processing unit
  ByteTime pcie_rate;
  ByteTime ports_rate;        ///< all ports of a NIC together
  Picoseconds qp_fetch_time;  ///< of the unit that fetches queue pairs' state, per miss
  unsigned page_shift;        ///< log2 of the page size
  LockCosts doorbell_lock;
  LockCosts queue_pair_lock;
};

}  // namespace verbena::simnic
