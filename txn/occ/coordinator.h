// What the transactions of one worker share: log space at the backups, metrics and history.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/check/history.h"
#include "txn/log/log_ring.h"
#include "txn/metrics.h"
#include "txn/occ/measures.h"

namespace verbena::txn::occ {

class TransactionNode;

/// A worker's side of coordinating transactions. Belongs to the worker's thread.
///
/// Log space: transactions reserve space in the worker's ring at each backup, all their rings at
/// once or none. When some records belong to decided transactions, the log keeper, a fiber of its
/// own, tells the backup up to where; not many at once, since the backup's worker does nothing else
/// while it applies them. The backup applies them from its ring, and by its answer the space is
/// free (DrTM+H paper, section 5.4: reclaiming is two-sided, lazy and off the critical path). A
/// ring is asked about by one call at a time, and only when there is something to free.
class Coordinator {
 public:
  Coordinator(TransactionNode& node, rdma::Worker& worker);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  TransactionNode& node() { return node_; }
  rdma::Worker& worker() { return worker_; }

  /// Space in the ring at `backup` that a transaction wants, and has after reserve_log.
  struct LogSlot {
    NodeId backup = 0;
    std::uint32_t bytes = 0;
    LogRingWriter::Space space{};
  };

  /// Fills in the `space` of all `slots` (different backups), waiting until there is room in all of
  /// them. They are held until `fiber` calls release_log, after its transaction is decided.
  void reserve_log(std::uint32_t fiber, std::vector<LogSlot>& slots);
  void release_log(std::uint32_t fiber);

  LogRingWriter& ring(NodeId backup) { return rings_[backup]; }

  /// The log keeper's life: to be spawned as one fiber per worker. Returns when as many fibers as
  /// the options say have called transactions_done and every backup has applied all of this
  /// worker's records; may be called again for another phase.
  void keep_logs();
  void transactions_done();

  /// Metrics are recorded of what happens in [from, until) on the core's clock: of transactions
  /// that are decided then, and, to a turn of the event loop, of what is counted then.
  void measure(Nanoseconds from, Nanoseconds until) {
    measured_from_ = from;
    measured_until_ = until;
  }
  bool measured(Nanoseconds when) const { return when >= measured_from_ && when < measured_until_; }
  Metrics& metrics() { return metrics_; }
  void count(Counter counter, std::uint64_t by = 1) {
    if (measured(worker_.turn_began())) metrics_.counters[static_cast<std::size_t>(counter)] += by;
  }
  void count_served(Phase phase, const Served& one) {
    if (measured(worker_.turn_began())) metrics_.served[static_cast<std::size_t>(phase)].merge(one);
  }
  /// Null when no history is recorded. Records throughout the run.
  History* history() { return record_history_ ? &history_ : nullptr; }

 private:
  static constexpr std::uint64_t kReclaimedBytes = 2048;  // that a backup is asked to apply at once

  struct FiberSlots {
    std::vector<LogSlot> held;
  };

  bool all_fit(const std::vector<LogSlot>& slots) const;
  void want_reclaim(NodeId backup);
  void wake_keeper();
  bool reclaim(const std::vector<NodeId>& backups);
  std::uint64_t decided_up_to(NodeId backup) const;

  TransactionNode& node_;
  rdma::Worker& worker_;
  // By backup; decided bytes are those since it was last asked to reclaim.
  std::vector<LogRingWriter> rings_;
  std::vector<std::uint64_t> decided_bytes_;
  std::vector<FiberSlots> fibers_;
  // Backups whose rings are to be reclaimed, of these those with something to reclaim, and whether
  // a backup is among the former.
  std::vector<NodeId> wanted_;
  std::vector<NodeId> asked_;
  std::vector<bool> is_wanted_;
  std::vector<rdma::FiberId> waiting_;     // for log space
  rdma::FiberId keeper_ = rdma::kNoFiber;  // while it is suspended
  std::uint32_t running_fibers_;
  rdma::RpcBatch calls_;
  Metrics metrics_;
  History history_;
  Nanoseconds measured_from_ = 0;
  Nanoseconds measured_until_ = 0;
  bool record_history_;
};

}  // namespace verbena::txn::occ
