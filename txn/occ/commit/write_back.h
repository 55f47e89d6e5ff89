// Commit phase: writes back and unlocks the write set (DrTM+H paper, section 5.3).
#pragma once

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/commit/commit_sender.h"
#include "txn/occ/commit/locks.h"

namespace verbena::txn::occ {

/// Writes the write set to the primary copies. Belongs to the transaction's fiber.
class WriteBack {
 public:
  /// All arguments must outlive it.
  WriteBack(Attempt& attempt, Locks& locks, CommitSender& sender)
      : attempt_(attempt), locks_(locks), sender_(sender) {}

  /// Removes erased records from the indexes, then writes and unlocks the write set. The
  /// transaction must have committed and hold all locks of it.
  void write();

 private:
  void unindex_erased();
  void write_local(Access& access);
  void write_one_sided(Access& access);

  Attempt& attempt_;
  Locks& locks_;
  CommitSender& sender_;
};

}  // namespace verbena::txn::occ
