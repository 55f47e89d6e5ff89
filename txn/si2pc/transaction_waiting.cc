// Answers to people who ask why a transaction does not come to its end: what it waits for.
#include <string>

#include "txn/si2pc/transaction.h"
#include "txn/waiting_text.h"

namespace verbena::txn::si2pc {

void Si2pcTransaction::lose(AbortCause cause, Handle record, std::size_t among) {
  if (!doomed()) obstacle_ = {.name = accesses_[record].name, .among = among};
  doom(cause);
}

// An answer for several records does not tell which of them it was.
std::string Si2pcTransaction::in_the_way() const {
  const bool locked = cause() == Abort::kLocked;
  if (!locked && cause() != Abort::kStaleSnapshot) return "its next attempt";
  const NodeId node = deployment_.view.primary(obstacle_->name.partition);
  return "its next attempt: " +
         record_text(deployment_.schema, obstacle_->name, node, obstacle_->among) +
         (locked ? " was locked" : " had a later version than its snapshot's");
}

std::string Si2pcTransaction::waits_for() const {
  if (!active()) return in_the_way();
  switch (step_) {
    case Step::kReads:
      return with_awaited("records that it reads", remote_.batch.awaited());
    case Step::kSnapshot:
      return with_awaited("a snapshot", counter_.awaited());
    case Step::kScans:
      return with_awaited("keys of a range", counter_.awaited());
    case Step::kPrepares:
      return with_awaited("locks", remote_.batch.awaited());
    case Step::kReleases:
      return with_awaited("its locks to be given back", remote_.batch.awaited());
    case Step::kNumbers:
      return with_awaited("a commit timestamp", counter_.awaited());
    case Step::kCommits:
      return with_awaited("what it writes to be in place", remote_.batch.awaited());
  }
  return {};
}

}  // namespace verbena::txn::si2pc
