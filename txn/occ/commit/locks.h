// Acquisition and release of an attempt's locks (DrTM+H paper, sections 5.2 and 5.3).
#pragma once

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/check_calls.h"
#include "txn/occ/commit/commit_sender.h"

namespace verbena::txn::occ {

/// Takes locks without waiting: a conflict dooms the attempt, so there are no deadlocks. Belongs to
/// the transaction's fiber.
///
/// Where RNIC atomics lock, the RNIC does all locking and unlocking, through the loop-back queue
/// pair for the node's own records; where CPUs lock, the owner's handlers do. One exception: a
/// record that the node's own CPU adds in a place no peer can know yet is locked by the CPU from
/// its beginning.
class Locks {
 public:
  /// All arguments must outlive it.
  Locks(Attempt& attempt, CheckCalls& check_calls, CommitSender& sender)
      : attempt_(attempt), check_calls_(check_calls), sender_(sender) {}

  /// Locks the records of the write set that execution has not locked, and checks that they are
  /// unchanged. Otherwise dooms the attempt; it may then hold some of the locks.
  void acquire();

  /// Releases the locks that the attempt still holds.
  void release_all();

  /// True if this node's CPU must release the lock, which the attempt holds.
  bool released_by_cpu(const Access& access) const;
  /// Releases the lock by this node's CPU.
  void release_by_cpu(Access& access);
  /// Adds a WRITE of the lock word to the attempt's requests, which releases the lock.
  void release_by_write(Access& access);

 private:
  void acquire_one_sided(const PhasePlan& phase);
  void acquire_two_sided(const PhasePlan& phase);
  void add_requests(Access& access);
  void take_answers(Access& access);

  Attempt& attempt_;
  CheckCalls& check_calls_;
  CommitSender& sender_;
};

}  // namespace verbena::txn::occ
