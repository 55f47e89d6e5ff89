// A verbs context with what belongs to it alone, of one worker or of all that share a NIC.
#pragma once

#include <infiniband/verbs.h>

#include <vector>

#include "rdma/device/device_discovery.h"
#include "rdma/device/verbs_object.h"
#include "rdma/memory/region.h"

namespace verbena::rdma {

/// Domains that make the queue pairs of one worker of a shared context the worker's own: they get a
/// doorbell register that nobody else uses, and no lock.
struct OwnDoorbells {
  ThreadDomain domain;
  ProtectionDomain pd;  ///< for these queue pairs; the shared one's memory is reached with it
};

/// Opens a device and allocates a protection domain; registers the node's regions once for all that
/// share it. Set-up is single-threaded; afterwards nothing changes.
struct DeviceContext {
  /// Throws VerbsError.
  DeviceContext(const VerbsTable& verbs_table, const PortSelection& port);

  /// Registers what peers access; further calls, by workers that share it, do nothing.
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
