// Space in the log rings that one worker has at the backups.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/log/log_ring.h"
#include "txn/occ/log/past_logs.h"
#include "txn/occ/node/measurements.h"

namespace verbena::txn::occ {

/// Transactions reserve space in the worker's ring at each backup, all their rings at once or none.
/// When some records belong to decided transactions, the log keeper, a fiber of its own, tells the
/// backup up to where; not many at once, since the backup's worker does nothing else while it
/// applies them. The backup applies them from its ring, and by its answer the space is free (DrTM+H
/// paper, section 5.4: reclaiming is two-sided, lazy and off the critical path). A ring is asked
/// about by one call at a time, and only when there is something to free. Belongs to the worker's
/// thread.
class LogSpace {
 public:
  /// Rings as `layout` says, for transactions of `fibers` fibers. Each backup is asked when so many
  /// bytes of its ring belong to decided transactions, at most half of the ring. Worker and
  /// measurements must outlive it.
  LogSpace(rdma::Worker& worker, const LogLayout& layout, std::uint32_t fibers,
           std::uint64_t reclaimed_bytes, Measurements& measurements);
  LogSpace(const LogSpace&) = delete;
  LogSpace& operator=(const LogSpace&) = delete;

  /// Before the first record: the rings hold `past` ones, all of them decided.
  void begin_with(const PastLogs& past);

  /// Space in the ring at `backup` that a transaction wants, and has after reserve.
  struct Slot {
    NodeId backup = 0;
    std::uint32_t bytes = 0;
    LogRingWriter::Space space{};
    bool written = false;  ///< the transaction's record was put into it
  };

  /// Fills in the `space` of all `slots` (different backups), waiting until there is room in all of
  /// them. They are held until `fiber` calls release, after its transaction is decided; until then
  /// it may reserve no more.
  void reserve(std::uint32_t fiber, std::vector<Slot>& slots);
  void release(std::uint32_t fiber);

  const LogRingWriter& ring(NodeId backup) const { return rings_[backup]; }

  /// The log keeper's life: to be spawned as one fiber per worker. Returns when as many fibers as
  /// there are have called transactions_done and every backup has applied all of this worker's
  /// records; may be called again for another phase.
  void keep();
  void transactions_done();

 private:
  bool all_fit(const std::vector<Slot>& slots) const;
  void want_reclaim(NodeId backup);
  void wake_keeper();
  bool reclaim(const std::vector<NodeId>& backups);
  std::uint64_t decided_up_to(NodeId backup) const;

  rdma::Worker& worker_;
  Measurements& measurements_;
  const std::uint64_t reclaimed_bytes_;
  // By backup; decided bytes are those since it was last asked to reclaim. They begin at different
  // numbers, or all workers, which begin together, would ask in waves for milliseconds.
  std::vector<LogRingWriter> rings_;
  std::vector<std::uint64_t> decided_bytes_;
  std::vector<std::vector<Slot>> held_;  // by fiber
  // Backups whose rings are to be reclaimed, of these those with something to reclaim, and whether
  // a backup is among the former.
  std::vector<NodeId> wanted_;
  std::vector<NodeId> asked_;
  std::vector<bool> is_wanted_;
  std::vector<rdma::FiberId> waiting_;     // for space
  rdma::FiberId keeper_ = rdma::kNoFiber;  // while it is suspended
  std::uint32_t running_fibers_;
  rdma::RpcBatch calls_;
};

}  // namespace verbena::txn::occ
