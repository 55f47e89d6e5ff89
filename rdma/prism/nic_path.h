// The way of a worker's chains to its peers' NICs.
#pragma once

#include <memory>

#include "rdma/fibers/worker_thread.h"
#include "rdma/one_sided/connections.h"
#include "rdma/prism/chain_path.h"

namespace verbena::rdma {

/// Posts the chains of a worker's batches to the queue pairs of its one-sided requests, where the
/// device has PRISM's operations (VerbsTable::prism). Worker-local.
class NicPath final : public ChainPath {
 public:
  /// Both must outlive it.
  NicPath(WorkerThread& thread, Connections& connections)
      : thread_(thread), connections_(connections) {}

  std::unique_ptr<ChainCarrier> open() override;

 private:
  WorkerThread& thread_;
  Connections& connections_;
};

}  // namespace verbena::rdma
