// Taking and releasing the locks of an attempt (DrTM+H paper, sections 5.2 and 5.3).
#pragma once

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/check_calls.h"
#include "txn/occ/commit/commit_sender.h"

namespace verbena::txn::occ {

/// Locking does not wait: a conflict dooms the attempt, so there are no deadlocks. Belongs to the
/// transaction's fiber.
///
/// Where RNIC atomics lock, all locking and unlocking, of the node's own records too, goes through
/// the RNIC, by the loop-back queue pair; where CPUs lock, the owner's handlers do. Only a record
/// that the node's own CPU adds in a place that no peer can know yet is locked by the CPU from its
/// beginning.
class Locks {
 public:
  /// All must outlive it.
  Locks(Attempt& attempt, CheckCalls& check_calls, CommitSender& sender)
      : attempt_(attempt), check_calls_(check_calls), sender_(sender) {}

  /// Locks the write set, as far as execution has not, and sees that it is as it was read. Dooms
  /// the attempt if not; some of the locks may then be held.
  void acquire();

  /// Releases what the attempt still holds.
  void release_all();

  /// True if this node's CPU is to release the lock, which the attempt holds.
  bool released_by_cpu(const Access& access) const;
  /// Releases it by this node's CPU.
  void release_by_cpu(Access& access);
  /// Adds a WRITE of the lock word, which releases it, to the attempt's requests.
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
