// Timestamps from one global counter, the naive design of the oracle.
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

/// Tracks at the oracle which timestamps are finished, and publishes the longest run of finished
/// ones, committed or aborted, for snapshots (NAM-DB paper, section 3.1). The paper seems to leave
/// out aborted ones, but then no snapshot would ever hold a later commit. A slow transaction holds
/// back all snapshots. Thread-safe.
class CounterServer {
 public:
  CounterServer(rdma::Region& vector, const Layout& layout) : vector_(vector), layout_(layout) {}

  /// Installs the handler.
  void serve(rdma::Worker& worker);

 private:
  void finished(std::uint32_t count);

  rdma::Region& vector_;
  const Layout& layout_;
  SpinLock changing_;
  rdma::SharedLine line_;  // of the lock
  UnbrokenRun done_;
};

/// Takes the timestamps of a compute server's fiber, each by FETCH_AND_ADD at the oracle, before
/// locks are taken, as published. Finishes them by a notification.
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
