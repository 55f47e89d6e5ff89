// Requests of look-ups by their states, and what is done with answers.
#include "txn/nam/execution/fetch.h"

#include <algorithm>

namespace verbena::txn::nam {

using rdma::Work;
using State = Access::State;

bool Fetch::fetch() {
  attempt_.at(Attempt::Step::kReads);
  settle_what_is_nowhere();
  while (!all_settled()) {
    if (!take_step()) return false;
  }
  accesses_.all_fetched();
  return true;
}

void Fetch::settle_what_is_nowhere() {
  for (Access& access : accesses_.unfetched()) {
    attempt_.spend(Work::kTransactionStep);
    attempt_.give_way();
    if (access.nowhere()) accesses_.settle(access, false);
  }
}

bool Fetch::all_settled() { return std::ranges::all_of(accesses_.unfetched(), &Access::settled); }

bool Fetch::take_step() {
  const Nanoseconds began = attempt_.now();
  bool looks_up = false;
  look_up_.find_buckets();
  for (Access& access : accesses_.unfetched()) {
    looks_up |= access.state() == State::kBucket;
    request(access);
  }
  attempt_.access_servers();
  if (!attempt_.check_age()) return false;
  look_up_.check_catalog();
  for (Access& access : accesses_.unfetched()) consider(access);
  if (looks_up) attempt_.times().lookup += attempt_.now() - began;
  return !attempt_.doomed();
}

void Fetch::request(Access& access) {
  switch (access.state()) {
    case State::kBucket:
      return look_up_.request(access);
    case State::kCurrent:
      return search_.request_current(access);
    case State::kHeaders:
      return search_.request_headers(access);
    case State::kOld:
      return search_.request_old(access);
    case State::kLink:
      return overflow_.request_link(access);
    case State::kMoved:
      return overflow_.request_moved(access);
    case State::kSettled:
      return;
  }
}

void Fetch::consider(Access& access) {
  if (access.settled()) return;
  const bool bucket = access.state() == State::kBucket;
  attempt_.spend(bucket ? Work::kIndexProbe : Work::kRecordAccess);
  switch (access.state()) {
    case State::kBucket:
      return look_up_.take(access);
    case State::kCurrent:
      return search_.take_current(access);
    case State::kHeaders:
      return search_.take_headers(access);
    case State::kOld:
      return search_.take_old(access);
    case State::kLink:
      return overflow_.take_link(access);
    case State::kMoved:
      return overflow_.take_moved(access);
    case State::kSettled:
      return;
  }
}

}  // namespace verbena::txn::nam
