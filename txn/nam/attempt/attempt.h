// State that the parts of a transaction share: its worker, requests and snapshot, and whether it
// can still commit.
#pragma once

#include <cstdint>
#include <string_view>

#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/attempt_status.h"
#include "txn/metrics.h"
#include "txn/nam/attempt/snapshot_in_use.h"
#include "txn/nam/node_options.h"
#include "txn/nam/oracle/latest_vector.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/server_memory.h"
#include "txn/nam/records/version.h"
#include "txn/nam/worker_metrics.h"
#include "txn/schema/table.h"
#include "txn/snapshot/snapshot_age.h"

namespace verbena::txn::nam {

/// Attempts of one fiber's transaction, one after the other. Belongs to the fiber.
///
/// A part of the transaction adds accesses to servers(), requests to batch() or calls to calls(),
/// posts and awaits them together, and leaves all of them empty for the next part.
class Attempt {
 public:
  /// Step of an attempt, for messages about what it waits for.
  enum class Step : std::uint8_t { kReads, kScans, kLocks, kMoves, kLogs, kInstalls, kPublishes };

  /// Record that stood in an attempt's way, and the version or lock found there.
  struct Conflict {
    RecordName name = {};
    std::uint64_t word = 0;
  };

  /// Durations of parts of an attempt.
  struct Times {
    Nanoseconds lookup = 0;  ///< in indexes, before the commit
    Nanoseconds claim = 0;
  };

  /// `latest`: see SnapshotSource; `own_records`: see ServerMemory. `status` and `age` are the
  /// transaction's. All references must outlive the attempt.
  Attempt(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
          const NodeOptions& options, const LatestVector* latest, rdma::Region* own_records,
          WorkerMetrics& metrics, AttemptStatus& status, SnapshotAge& age);

  /// Forgets the previous attempt and takes the next number.
  void begin();

  rdma::Worker& worker() { return worker_; }
  const Layout& layout() const { return layout_; }
  const NodeOptions& options() const { return options_; }
  WorkerMetrics& metrics() { return metrics_; }
  SnapshotInUse& snapshot() { return snapshot_; }
  const SnapshotAge& snapshot_age() const { return age_; }
  rdma::RequestBatch& batch() { return batch_; }
  ServerMemory& servers() { return servers_; }
  rdma::RpcBatch& calls() { return calls_; }

  Nanoseconds now() const { return worker_.now(); }
  void spend(rdma::Work work, std::uint32_t units = 1) { worker_.core().spend(work, units); }
  /// See rdma::Core::reach.
  void reach(std::string_view point) { worker_.core().reach(point); }
  void count(Counter counter, std::uint64_t by = 1) { metrics_.count(now(), counter, by); }
  /// Posts the accesses that were added to servers(), and waits for them.
  void access_servers();
  /// Yields to other fibers, for code that may run long without waiting.
  void give_way();
  NodeId server_of(const RecordName& name) const { return layout_.view().primary(name.partition); }

  /// Number of the fiber, which its lock words name.
  std::uint32_t number() const { return number_; }
  /// Lock word of this attempt.
  std::uint64_t lock_word() const { return nam::lock_word(number_, attempts_); }

  void doom(AbortCause cause) { status_.doom(cause); }
  /// Dooms the attempt because of `word`, found at the record, and notes the conflict.
  void lose(const RecordName& name, AbortCause cause, std::uint64_t word);
  bool doomed() const { return status_.doomed(); }
  /// Conflict of the last attempt that had one.
  const Conflict& conflict() const { return conflict_; }
  /// Dooms the attempt if its snapshot is too old; returns false then.
  bool check_age();

  Step step() const { return step_; }
  void at(Step step) { step_ = step; }
  Times& times() { return times_; }

 private:
  rdma::Worker& worker_;
  const Layout& layout_;
  const NodeOptions& options_;
  WorkerMetrics& metrics_;
  AttemptStatus& status_;
  SnapshotAge& age_;
  const std::uint32_t number_;
  SnapshotInUse snapshot_;
  rdma::RequestBatch batch_;
  ServerMemory servers_;
  rdma::RpcBatch calls_;
  std::uint32_t attempts_ = 0;  // attempts of this fiber so far
  Step step_ = Step::kReads;
  Conflict conflict_;
  Times times_;
};

}  // namespace verbena::txn::nam
