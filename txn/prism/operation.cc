// From begin to end.
#include "txn/prism/operation.h"

#include <stdexcept>

namespace verbena::txn::prism {

void Operation::begin_attempt(Kind kind) {
  start_attempt(kind);
  name_.reset();
  looked_up_ = false;
  began_at_ = worker_.now();
}

Transaction::Handle Operation::note(const RecordName& wanted, Intent intent) {
  if (name_ && *name_ != wanted) {
    throw std::logic_error("a transaction of several records on a store of single ones");
  }
  if (name_) return 0;
  name_ = wanted;
  items_.push_back({.payload = memory_.data(), .bytes = table().payload_bytes, .intent = intent});
  return 0;
}

bool Operation::fetch_noted() {
  if (!name_ || item().fetched) return true;
  item().blind = item().intent == Intent::kOverwrite;
  looked_up_ = look_up();
  item().fetched = true;
  return !doomed();
}

bool Operation::commit_attempt() {
  const Nanoseconds read = worker_.now();
  if (any_written()) install();
  if (doomed()) return end();
  const Nanoseconds installed = worker_.now();
  if (metrics_.measured(installed)) {
    if (looked_up_) metrics_.record(Phase::kLookUp, read - began_at_);
    if (any_written()) metrics_.record(Phase::kInstall, installed - read);
  }
  return end();
}

// A state of one record was read whole.
bool Operation::roll_back_attempt() {
  doom(Abort::kRolledBack);
  end();
  return true;
}

bool Operation::end() {
  const Nanoseconds decided = worker_.now();
  metrics_.decide(decided, cause());
  end_attempt(decided);
  return !doomed();
}

}  // namespace verbena::txn::prism
