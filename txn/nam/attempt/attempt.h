// Common to the parts of a transaction: where it runs, its requests, its snapshot, and whether it
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

/// The attempts of one fiber's transaction, one after the other. Belongs to the fiber.
///
/// A part adds accesses to servers() or requests to batch(), which are posted and waited for
/// together, and calls to calls(), waits, and leaves all empty for the next.
class Attempt {
 public:
  /// The step that an attempt is at, for people who ask what it waits for.
  enum class Step : std::uint8_t { kReads, kScans, kLocks, kMoves, kLogs, kInstalls, kPublishes };

  /// A record that was in an attempt's way, and the version or lock that was found there.
  struct Conflict {
    RecordName name = {};
    std::uint64_t word = 0;
  };

  /// How long parts of an attempt took.
  struct Times {
    Nanoseconds lookup = 0;  ///< in indexes, before the commit
    Nanoseconds claim = 0;
  };

  /// `latest`: see SnapshotSource; `own_records`: see ServerMemory. `status` and `age` are the
  /// transaction's, and must outlive it, as all others must.
  Attempt(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
          const NodeOptions& options, const LatestVector* latest, rdma::Region* own_records,
          WorkerMetrics& metrics, AttemptStatus& status, SnapshotAge& age);

  /// Forgets the attempt before; takes the next number.
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
  /// Posts what was added to servers() and waits for it.
  void access_servers();
  /// Lets others have a turn, where this may go on for long without waiting.
  void give_way();
  NodeId server_of(const RecordName& name) const { return layout_.view().primary(name.partition); }

  /// The fiber's, which names its locks.
  std::uint32_t number() const { return number_; }
  /// The word that its locks are.
  std::uint64_t lock_word() const { return nam::lock_word(number_, attempts_); }

  void doom(AbortCause cause) { status_.doom(cause); }
  /// The same because of what was found of a record.
  void lose(const RecordName& name, AbortCause cause, std::uint64_t word);
  bool doomed() const { return status_.doomed(); }
  /// The last attempt's that had one.
  const Conflict& conflict() const { return conflict_; }
  /// False: its snapshot is too old, so it is doomed.
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
  std::uint32_t attempts_ = 0;  // of this fiber so far
  Step step_ = Step::kReads;
  Conflict conflict_;
  Times times_;
};

}  // namespace verbena::txn::nam
