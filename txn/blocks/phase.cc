// Counting answers, and waking who waits for them.
#include "txn/blocks/phase.h"

#include <algorithm>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/endpoint.h"

namespace verbena::txn::blocks {

Phase::Phase(rdma::Worker& worker, std::vector<NodeId> replicas)
    : worker_(worker), replicas_(std::move(replicas)), states_(replicas_.size()) {}

std::uint32_t Phase::count(State state) const {
  return static_cast<std::uint32_t>(std::ranges::count(states_, state));
}

bool Phase::decided() const { return grants() >= needed_ || grants() + open() < needed_; }

void Phase::settle(std::uint32_t place, State state) {
  if (states_[place] != State::kAsked) return;
  states_[place] = state;
  if (waiter_ != rdma::kNoFiber && decided()) {
    worker_.make_ready(std::exchange(waiter_, rdma::kNoFiber));
  }
}

void Phase::ask(std::uint32_t place) { states_[place] = State::kAsked; }

void Phase::answer(std::uint32_t place, bool granted) {
  settle(place, granted ? State::kGranted : State::kRefused);
}

void Phase::miss(std::uint32_t place) { settle(place, State::kMissing); }

bool Phase::wait_for(std::uint32_t needed) {
  needed_ = needed;
  while (!decided()) {
    waiter_ = worker_.current_fiber();
    worker_.suspend();
  }
  return grants() >= needed_;
}

void Phase::require(std::uint32_t needed) {
  if (wait_for(needed)) return;
  std::string dead;
  for (std::uint32_t place = 0; place < replicas(); ++place) {
    if (states_[place] != State::kMissing) continue;
    dead += (dead.empty() ? "" : ", ") +
            worker_.endpoint().fabric().rendezvous().describe(replicas_[place]);
  }
  throw PeerMissing(dead + " dead or silent, and " + std::to_string(needed) + " of " +
                    std::to_string(replicas()) + " replicas have to answer node " +
                    std::to_string(worker_.node()) + " (worker " + std::to_string(worker_.id()) +
                    ")");
}

std::vector<NodeId> Phase::awaited() const {
  std::vector<NodeId> all;
  for (std::uint32_t place = 0; place < replicas(); ++place) {
    if (states_[place] == State::kAsked) all.push_back(replicas_[place]);
  }
  return all;
}

}  // namespace verbena::txn::blocks
