// Answers to people who ask why a transaction does not come to its end: what it waits for.
#include <algorithm>
#include <string>

#include "txn/nam/records/version.h"
#include "txn/nam/transaction/transaction.h"
#include "txn/waiting_text.h"

namespace verbena::txn::nam {

std::string NamTransaction::text(const RecordName& name) const {
  return record_text(layout_.schema(), name, layout_.view().primary(name.partition));
}

std::string NamTransaction::holder_of(std::uint64_t lock) const {
  if (lock == kGivenUp) return "nobody, since its entry was given up";
  const auto place = layout_.fiber_of(stamp_of(lock).slot);
  if (!place) return "nobody that there is";
  return holder_text(place->node, place->worker, place->fiber);
}

void NamTransaction::lose(const Access& access, AbortCause cause, std::uint64_t word) {
  if (!doomed()) conflict_ = {.name = access.name, .word = word};
  doom(cause);
}

// The first record that is not there yet, and how many others.
std::string NamTransaction::reads() const {
  const auto open = [](const Access& access) { return access.state != State::kSettled; };
  const auto first = std::ranges::find_if(accesses_, open);
  if (snapshot_.empty()) return "the vector of commits";
  if (first == accesses_.end()) return "what its workload does with what it has read";
  const auto others = std::ranges::count_if(accesses_, open) - 1;
  std::string what;
  switch (first->state) {
    case State::kBucket:
      what = "a hash bucket for ";
      break;
    case State::kCurrent:
      what = "the current version of ";
      break;
    case State::kHeaders:
    case State::kOld:
      what = "an old version of ";
      break;
    case State::kLink:
    case State::kMoved:
    case State::kSettled:
      what = "a version in overflow of ";
      break;
  }
  what += text(first->name);
  return others == 0 ? what : what + ", and " + std::to_string(others) + " others";
}

std::string NamTransaction::in_the_way() const {
  if (!cause()) return "its next attempt";
  const std::string record = text(conflict_.name);
  if (*cause() == Abort::kLocked) {
    return "its next attempt: " + record + " was locked by " + holder_of(conflict_.word);
  }
  if (*cause() == Abort::kStaleSnapshot) {
    return "its next attempt: " + record + " had a later version than its snapshot's";
  }
  if (*cause() == Abort::kOverflowFull) {
    return "its next attempt: no room in overflow for an old version of " + record;
  }
  return "its next attempt";
}

std::string NamTransaction::waits_for() const {
  if (!active()) return in_the_way();
  switch (step_) {
    case Step::kReads:
      return reads();
    case Step::kScans:
      return "keys of " + layout_.schema()[scanned_name_.table].name + " of node " +
             std::to_string(layout_.view().primary(scanned_name_.partition));
    case Step::kLocks:
      return "locks";
    case Step::kMoves:
      return "room in overflow for an old version of " + text(accesses_[blocked_.front()].name);
    case Step::kLogs:
      return "copies of its journal entry";
    case Step::kInstalls:
      return "new versions to be written";
    case Step::kPublishes:
      return "its commit to be published";
  }
  return {};
}

}  // namespace verbena::txn::nam
