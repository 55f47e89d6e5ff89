// Attempts that read a snapshot: how they begin, come by it, and end.
#pragma once

#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/metrics.h"
#include "txn/snapshot/age_limit.h"
#include "txn/snapshot/snapshot_age.h"
#include "txn/stamp.h"
#include "txn/transaction.h"

namespace verbena::txn {

/// Transactions of a system with snapshots, as far as all do alike. An attempt takes a snapshot
/// when it first needs one, with the fiber's last commit, so that clients see their own; gives up
/// when that is too old; and may end at the application's wish whenever it is not doomed: what it
/// has read is in a snapshot, so it was a state. What a snapshot is, and where it comes from, is
/// the system's. Belongs to its fiber.
class SnapshotTransaction : public Transaction {
 protected:
  /// `longest`: see SnapshotAge. `rolled_back`: as what attempts count that end at the
  /// application's wish.
  SnapshotTransaction(rdma::Worker& worker, AgeLimit::Setting longest, AbortCause rolled_back);

  // Left to the system:

  /// Forgets what the attempt before had; the next begins.
  virtual void forget_attempt() = 0;
  /// Waits for a snapshot that holds `own`, the fiber's last commit, but where the system lets its
  /// clients miss their own. Its counts are valid for this attempt; `usable` is not read.
  virtual ReadSnapshot ask_for_snapshot(const Stamp& own) = 0;
  /// Waits for what was asked for and has not come.
  virtual void await_answers() {}
  /// Counts an attempt that was decided at that time: by cause(), if it has one.
  virtual void count_attempt(Nanoseconds decided) = 0;
  /// The transaction is not tried again.
  virtual void transaction_over() {}

  void begin_attempt(Kind kind) final;
  bool roll_back_attempt() final;

  /// Waits for a snapshot, if the attempt has none.
  void need_snapshot();
  SnapshotAge& snapshot_age() { return age_; }
  /// The fiber's, of which the next snapshots are to be.
  const Stamp& last_commit() const { return last_commit_; }
  void set_last_commit(const Stamp& stamp) { last_commit_ = stamp; }

  /// To be called last by commit_attempt; what it returns, too: the attempt has committed if it is
  /// not doomed.
  bool end();

  Nanoseconds began_at() const { return began_at_; }
  /// How long the attempt waited for its snapshot.
  Nanoseconds snapshot_time() const { return snapshot_time_; }

 private:
  const AbortCause rolled_back_;
  SnapshotAge age_;
  Stamp last_commit_;
  Nanoseconds began_at_ = 0;
  Nanoseconds snapshot_time_ = 0;
};

}  // namespace verbena::txn
