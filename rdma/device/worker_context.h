// The parts of a worker that one-sided requests and RPCs need.
#pragma once

#include "rdma/device/endpoint_options.h"
#include "rdma/device/peer_health.h"
#include "rdma/device/worker_verbs.h"
#include "rdma/fibers/worker_thread.h"
#include "rdma/memory/worker_memory.h"

namespace verbena::rdma {

/// All members outlive the code that gets them.
struct WorkerContext {
  WorkerThread& thread;
  WorkerMemory& memory;
  WorkerVerbs& verbs;
  const PeerHealth& health;
  const EndpointOptions& options;
};

}  // namespace verbena::rdma
