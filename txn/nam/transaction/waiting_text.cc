// Steps and conflicts in words.
#include "txn/nam/transaction/waiting_text.h"

#include <algorithm>

#include "txn/nam/measures.h"
#include "txn/nam/records/version.h"
#include "txn/waiting_text.h"

namespace verbena::txn::nam {

using Step = Attempt::Step;
using State = Access::State;

std::string WaitingText::text(const RecordName& name) const {
  return record_text(attempt_.layout().schema(), name, attempt_.server_of(name));
}

std::string WaitingText::holder_of(std::uint64_t lock) const {
  if (lock == kGivenUp) return "nobody, since its entry was given up";
  const auto place = attempt_.layout().fibers().place_of(stamp_of(lock).slot);
  if (!place) return "nobody that there is";
  return holder_text(place->node, place->worker, place->fiber);
}

std::string WaitingText::read_of(const Access& access) const {
  switch (access.state()) {
    case State::kBucket:
      return "a hash bucket for " + text(access.name());
    case State::kCurrent:
      return "the current version of " + text(access.name());
    case State::kHeaders:
    case State::kOld:
      return "an old version of " + text(access.name());
    case State::kLink:
    case State::kMoved:
    case State::kSettled:
      break;
  }
  return "a version in overflow of " + text(access.name());
}

// The first record that is not there yet, and how many others.
std::string WaitingText::reads() const {
  const auto open = [](const Access& access) { return !access.settled(); };
  const auto first = std::ranges::find_if(accesses_, open);
  if (!attempt_.snapshot_age().taken()) return "the vector of commits";
  if (first == accesses_.end()) return "what its workload does with what it has read";
  const auto others = std::ranges::count_if(accesses_, open) - 1;
  const std::string what = read_of(*first);
  return others == 0 ? what : what + ", and " + std::to_string(others) + " others";
}

std::string WaitingText::of_next(std::optional<AbortCause> cause) const {
  if (!cause) return "its next attempt";
  const Attempt::Conflict& conflict = attempt_.conflict();
  const std::string record = text(conflict.name);
  if (*cause == Abort::kLocked) {
    return "its next attempt: " + record + " was locked by " + holder_of(conflict.word);
  }
  if (*cause == Abort::kStaleSnapshot) {
    return "its next attempt: " + record + " had a later version than its snapshot's";
  }
  if (*cause == Abort::kOverflowFull) {
    return "its next attempt: no room in overflow for an old version of " + record;
  }
  return "its next attempt";
}

std::string WaitingText::of_attempt() const {
  const Layout& layout = attempt_.layout();
  switch (attempt_.step()) {
    case Step::kReads:
      return reads();
    case Step::kScans:
      return "keys of " + layout.schema()[scans_.scanned().table].name + " of node " +
             std::to_string(attempt_.server_of(scans_.scanned()));
    case Step::kLocks:
      return "locks";
    case Step::kMoves:
      return "room in overflow for an old version of " + text(places_.blocked().front()->name());
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
