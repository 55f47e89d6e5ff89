// Beginning attempts, taking their snapshots, and ending them.
#include "txn/snapshot/snapshot_transaction.h"

#include <utility>

namespace verbena::txn {

SnapshotTransaction::SnapshotTransaction(rdma::Worker& worker, AgeLimit::Setting longest,
                                         AbortCause rolled_back)
    : Transaction(worker), rolled_back_(rolled_back), age_(worker, std::move(longest)) {}

void SnapshotTransaction::begin_attempt(Kind kind) {
  start_attempt(kind);
  worker_.core().spend(rdma::Work::kTransactionSetup);
  age_.forget();
  forget_attempt();
  began_at_ = worker_.now();
  snapshot_time_ = 0;
}

void SnapshotTransaction::need_snapshot() {
  if (age_.taken()) return;
  const Nanoseconds began = worker_.now();
  ReadSnapshot snapshot = ask_for_snapshot(last_commit_);
  age_.take(snapshot.fetched_at);
  snapshot_time_ = worker_.now() - began;
  snapshot.usable = age_.longest();
  take_snapshot(snapshot);
}

bool SnapshotTransaction::roll_back_attempt() {
  await_answers();
  const bool stands = !doomed();
  if (stands) doom(rolled_back_);
  end();
  return stands;
}

bool SnapshotTransaction::end() {
  const bool committed = !doomed();
  const Nanoseconds decided = worker_.now();
  count_attempt(decided);
  end_attempt(decided);
  const bool over = committed || cause() == rolled_back_;
  if (over) transaction_over();
  age_.attempt_ended(over, decided);
  return committed;
}

}  // namespace verbena::txn
