// Timestamps of one counter for all, the naive design of the oracle.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/base/spin_lock.h"
#include "rdma/endpoint.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/seam/shared_line.h"
#include "rdma/worker.h"
#include "txn/nam/oracle/timestamps.h"
#include "txn/nam/records/layout.h"
#include "txn/unbroken_run.h"

namespace verbena::txn::nam {

/// The oracle's record of who has finished, and therefore of the commits that snapshots hold: those
/// before which all have finished, whether they committed or aborted (NAM-DB paper, section 3.1;
/// there those that abort seem to be left out, after which no snapshot would ever hold a later
/// commit). So who takes his time holds back what all others read. Thread-safe.
class CounterServer {
 public:
  CounterServer(rdma::Region& vector, const Layout& layout) : vector_(vector), layout_(layout) {}

  /// Installs its handler.
  void serve(rdma::Worker& worker);

 private:
  void finished(std::uint32_t count);

  rdma::Region& vector_;
  const Layout& layout_;
  SpinLock changing_;
  rdma::SharedLine line_;  // of the lock
  UnbrokenRun done_;
};

/// Timestamps of a fiber of a compute server: each is a FETCH_AND_ADD at the oracle, before locks
/// are taken, as published; that it is done with is told by a message that nobody waits for.
class GlobalCounter final : public Timestamps {
 public:
  GlobalCounter(rdma::Worker& worker, const Layout& layout)
      : worker_(worker), layout_(layout), batch_(worker.connections()) {}

  std::optional<Stamp> take_before_locks() override;
  Stamp take() override { return taken_; }
  void publish(const Stamp& stamp) override { finish(stamp); }
  void give_up(const Stamp& stamp) override { finish(stamp); }

 private:
  void finish(const Stamp& stamp);

  rdma::Worker& worker_;
  const Layout& layout_;
  rdma::RequestBatch batch_;
  Stamp taken_;
};

}  // namespace verbena::txn::nam
