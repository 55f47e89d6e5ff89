// Attempts that read a snapshot: their beginning, their snapshot and their end.
#pragma once

#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/metrics.h"
#include "txn/snapshot/age_limit.h"
#include "txn/snapshot/snapshot_age.h"
#include "txn/stamp.h"
#include "txn/transaction.h"

namespace verbena::txn {

/// Does what transactions of all systems with snapshots have in common. An attempt takes a snapshot
/// when it first needs one, with the fiber's last commit, so that clients see their own commits. It
/// gives up when the snapshot is too old. It may end at the application's wish unless it is doomed:
/// what it has read is in a snapshot, so it is a consistent state. The system defines the snapshot
/// and its source. Belongs to its fiber.
class SnapshotTransaction : public Transaction {
 protected:
  /// `longest`: see SnapshotAge. `rolled_back`: cause that is counted for attempts which end at the
  /// application's wish.
  SnapshotTransaction(rdma::Worker& worker, AgeLimit::Setting longest, AbortCause rolled_back);

  // Left to the system:

  /// Forgets the previous attempt; the next one begins.
  virtual void forget_attempt() = 0;
  /// Waits for a snapshot that holds `own`, the fiber's last commit, unless the system lets clients
  /// miss their own. Its counts are valid for this attempt; `usable` is not read.
  virtual ReadSnapshot ask_for_snapshot(const Stamp& own) = 0;
  /// Waits for outstanding answers.
  virtual void await_answers() {}
  /// Counts an attempt that was decided at that time, by cause() if it has one.
  virtual void count_attempt(Nanoseconds decided) = 0;
  /// Notes that the transaction will not be tried again.
  virtual void transaction_over() {}

  void begin_attempt(Kind kind) final;
  bool roll_back_attempt() final;

  /// Waits for a snapshot, if the attempt has none.
  void need_snapshot();
  SnapshotAge& snapshot_age() { return age_; }
  /// Last commit of the fiber, which the next snapshots must hold.
  const Stamp& last_commit() const { return last_commit_; }
  void set_last_commit(const Stamp& stamp) { last_commit_ = stamp; }

  /// Ends the attempt; returns true if it is not doomed, and so has committed. To be called last by
  /// commit_attempt(), which returns the result.
  bool end();

  Nanoseconds began_at() const { return began_at_; }
  /// Time that the attempt waited for its snapshot.
  Nanoseconds snapshot_time() const { return snapshot_time_; }

 private:
  const AbortCause rolled_back_;
  SnapshotAge age_;
  Stamp last_commit_;
  Nanoseconds began_at_ = 0;
  Nanoseconds snapshot_time_ = 0;
};

}  // namespace verbena::txn
