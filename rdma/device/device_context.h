// A verbs context and the objects that belong to it, of one worker or of all that share a NIC.
#pragma once

#include <infiniband/verbs.h>

#include <vector>

#include "rdma/device/device_discovery.h"
#include "rdma/device/verbs_object.h"
#include "rdma/memory/region.h"

namespace verbena::rdma {

/// Domains that give the queue pairs of one worker, on a shared context, a doorbell register of
/// their own and no lock.
struct OwnDoorbells {
  ThreadDomain domain;
  ProtectionDomain pd;  ///< for these queue pairs; it reaches the shared one's memory
};

/// Opens a device and allocates a protection domain; registers the node's regions once for all
/// workers that share it. Set up by one thread; constant afterwards.
struct DeviceContext {
  /// Throws VerbsError.
  DeviceContext(const VerbsTable& verbs_table, const PortSelection& port);

  /// Registers the regions that peers access. Further calls, by workers that share it, do nothing.
  void register_regions(const std::vector<Region*>& all);

  /// Throws ConfigurationError when the device has no thread domains.
  OwnDoorbells own_doorbells() const;

  const VerbsTable& table;
  VerbsContext context;
  ibv_device_attr attr;
  ProtectionDomain pd;
  std::vector<MemoryRegistration> regions;  ///< by number
};

}  // namespace verbena::rdma
