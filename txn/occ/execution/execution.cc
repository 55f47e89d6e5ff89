// Rounds of requests. Each is one round trip; a record needs one, with one-sided look-ups in the
// index one more per bucket.
#include "txn/occ/execution/execution.h"

#include <cassert>

namespace verbena::txn::occ {

using rdma::Work;

void Execution::begin() {
  assert(!outstanding_);
  started_ = fetched_ = 0;
  first_request_ = last_answer_ = 0;
}

void Execution::prefetch() {
  const std::size_t last = attempt_.accesses().size();
  const bool outstanding = attempt_.read_plan().outstanding;
  start(started_, last, outstanding);
  if (!outstanding) return;
  outstanding_ |= post_round(started_, last);
  started_ = last;
}

void Execution::fetch() {
  const std::size_t last = attempt_.accesses().size();
  const std::size_t first_new = started_;
  started_ = last;
  if (attempt_.read_plan().outstanding) {
    start(first_new, last, true);
    outstanding_ |= post_round(fetched_, last);
    finish_rounds(fetched_, last);
  } else {
    for (std::size_t i = fetched_; i < last && !attempt_.doomed(); ++i) {
      start(i, i + 1, true);
      outstanding_ = post_round(i, i + 1);
      finish_rounds(i, i + 1);
    }
  }
  fetched_ = last;
}

void Execution::start(std::size_t first, std::size_t last, bool remote_too) {
  for (std::size_t i = first; i < last && !attempt_.doomed(); ++i) {
    Access& access = attempt_.accesses()[i];
    if (access.state() != Access::State::kNoted || (!remote_too && !attempt_.local(access))) {
      continue;
    }
    attempt_.worker().give_way();
    attempt_.core().spend(Work::kTransactionStep);
    look_up_.start(access);
  }
}

// False: nothing is in flight, or the attempt is doomed.
bool Execution::post_round(std::size_t first, std::size_t last) {
  if (attempt_.doomed()) return false;
  bool pending = false;
  for (std::size_t i = first; i < last; ++i) {
    pending |= look_up_.add_request(attempt_.accesses()[i]);
  }
  if (!pending) return false;
  if (first_request_ == 0) first_request_ = attempt_.worker().now();
  attempt_.post(attempt_.read_plan());
  return true;
}

void Execution::finish_rounds(std::size_t first, std::size_t last) {
  while (outstanding_) {
    await_outstanding();
    outstanding_ = post_round(first, last);
  }
}

void Execution::await_outstanding() {
  if (!outstanding_) return;
  outstanding_ = false;
  attempt_.requests().wait();
  attempt_.calls().wait();
  last_answer_ = attempt_.worker().now();
  for (std::size_t i = fetched_; i < started_; ++i) {
    Access& access = attempt_.accesses()[i];
    if (access.posted()) look_up_.take_answer(access);
  }
  attempt_.calls().clear();
}

}  // namespace verbena::txn::occ
