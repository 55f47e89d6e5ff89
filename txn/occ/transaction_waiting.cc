// Answers to people who ask why a transaction does not come to its end: what it waits for.
#include <string>

#include "txn/occ/transaction.h"
#include "txn/store/lock_word.h"
#include "txn/waiting_text.h"

namespace verbena::txn::occ {

std::string Transaction::in_the_way() const {
  const auto& obstacle = attempt_.obstacle();
  if (!obstacle) return "its next attempt";
  const NodeId node = Placement::primary(obstacle->name.partition);
  const std::string next =
      "its next attempt: " +
      record_text(attempt_.node().schema(), obstacle->name, node, obstacle->among);
  if (obstacle->lock != kUnlocked) {
    const LockOwner owner = LockOwner::of(obstacle->lock);
    return next + " was locked by " + holder_text(owner.node, owner.worker, owner.fiber);
  }
  const bool locked = cause() == Abort::kLockConflict || cause() == Abort::kReadLocked;
  return next + (locked ? " was locked" : " had changed");
}

std::string Transaction::waits_for() const {
  if (!active()) return in_the_way();
  const auto with_peers = [&](const char* what) {
    return with_awaited(what, attempt_.calls().awaited());
  };
  switch (step_) {
    case Step::kExecutes:
      return with_peers("records or keys that it reads");
    case Step::kLocks:
      return with_peers("locks");
    case Step::kValidates:
      return with_peers("a second look at what it has read");
    case Step::kLogs:
      return with_peers("its log records at the backups");
    case Step::kWritesBack:
      return with_peers("what it writes to be in place");
    case Step::kReleases:
      return with_peers("its locks to be given back");
  }
  return {};
}

}  // namespace verbena::txn::occ
