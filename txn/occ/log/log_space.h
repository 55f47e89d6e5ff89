// Space of one worker's log rings at the backups.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/log/log_ring.h"
#include "txn/occ/log/past_logs.h"
#include "txn/occ/node/measurements.h"

namespace verbena::txn::occ {

/// Reserves space for transactions in the worker's ring at each backup, in all their rings at once
/// or in none. When enough records belong to decided transactions, the log keeper, a fiber of its
/// own, tells the backup up to where; the amounts are small, since the backup's worker does nothing
/// else meanwhile. The backup applies the records from its ring, and its answer frees their space
/// (DrTM+H paper, section 5.4: reclaiming is two-sided, lazy and off the critical path). Each ring
/// has at most one such call in flight, and none without space to free. Belongs to the worker's
/// thread.
class LogSpace {
 public:
  /// Decided bytes at which a backup is asked at the latest.
  static constexpr std::uint64_t kMostReclaimedBytes = std::uint64_t{1} << 31;

  /// Uses rings as `layout` says, for transactions of `fibers` fibers. Asks a backup to reclaim
  /// when `reclaimed_bytes` of its ring belong to decided transactions, or half of it, or
  /// kMostReclaimedBytes.
  /// `worker` and `measurements` must outlive it.
  LogSpace(rdma::Worker& worker, const LogLayout& layout, std::uint32_t fibers,
           std::uint64_t reclaimed_bytes, Measurements& measurements);
  LogSpace(const LogSpace&) = delete;
  LogSpace& operator=(const LogSpace&) = delete;

  /// Starts with rings that hold the decided records of `past`. To be called before the first
  /// record.
  void begin_with(const PastLogs& past);

  /// Space in the ring at `backup`, before and after reserve().
  struct Slot {
    NodeId backup = 0;
    std::uint32_t bytes = 0;
    LogRingWriter::Space space{};
    bool written = false;  ///< true if the transaction's record is in the ring
  };

  /// Fills in the `space` of all `slots`, which are of different backups, and waits until all have
  /// room. They are held until `fiber` calls release() after its transaction is decided; it
  /// reserves no more before.
  void reserve(std::uint32_t fiber, std::vector<Slot>& slots);
  void release(std::uint32_t fiber);

  LogRingWriter ring(NodeId backup) { return {rings_[backup], ring_bytes_}; }

  /// Body of the log keeper, one fiber for each worker. Returns when all fibers have called
  /// transactions_done(). Backups apply what then remains once nothing runs any more
  /// (Service::apply_at_rest). May be called again for another phase.
  void keep();
  void transactions_done();

 private:
  bool all_fit(const std::vector<Slot>& slots);
  void want_reclaim(NodeId backup);
  void wake_keeper();
  bool reclaim(const std::vector<NodeId>& backups);
  std::uint64_t decided_up_to(NodeId backup) const;

  rdma::Worker& worker_;
  Measurements& measurements_;
  const std::uint64_t ring_bytes_;
  const std::uint64_t reclaimed_bytes_;
  // Rings and bytes decided since the last reclaim, by backup. Bytes start at different values:
  // otherwise all workers, which begin together, would ask in waves for milliseconds.
  std::vector<LogRingUse> rings_;
  std::vector<std::uint32_t> decided_bytes_;
  std::vector<std::vector<Slot>> held_;  // by fiber
  // Backups whose rings are to be reclaimed; those of them with something to reclaim; for each
  // backup, true if it is in `wanted_`.
  std::vector<NodeId> wanted_;
  std::vector<NodeId> asked_;
  std::vector<bool> is_wanted_;
  std::vector<rdma::FiberId> waiting_;     // for space
  rdma::FiberId keeper_ = rdma::kNoFiber;  // while it is suspended
  std::uint32_t running_fibers_;
  rdma::RpcBatch calls_;
};

}  // namespace verbena::txn::occ
