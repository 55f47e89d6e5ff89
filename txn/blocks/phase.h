// Step of an operation at all replicas at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/worker.h"

namespace verbena::txn::blocks {

/// Collects the answers of replicas to one step of an operation. The operation waits for some of
/// them and goes on. Later answers still find this, since the operation and its errands share it.
/// Replicas are numbered by place. Belongs to the worker's thread.
class Phase {
 public:
  Phase(rdma::Worker& worker, std::vector<NodeId> replicas);
  virtual ~Phase() = default;
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  /// Notes that a replica is asked, which makes it count.
  void ask(std::uint32_t place);
  /// Notes that a replica has done what it was asked, or refused. Only its first answer counts.
  void answer(std::uint32_t place, bool granted = true);
  /// Notes that a replica is dead; ignored once it has answered.
  void miss(std::uint32_t place);

  /// Suspends the operation until `needed` replicas have granted the request. Returns false if too
  /// few of the asked ones still can.
  bool wait_for(std::uint32_t needed);
  /// Waits as wait_for() does; throws PeerMissing, which names the dead ones, if too few can.
  void require(std::uint32_t needed);

  /// Ends the phase: the operation goes on, and nobody waits for further answers.
  void end() { over_ = true; }
  bool over() const { return over_; }

  std::uint32_t replicas() const { return static_cast<std::uint32_t>(states_.size()); }
  bool asked(std::uint32_t place) const { return states_[place] != State::kNotAsked; }
  bool granted(std::uint32_t place) const { return states_[place] == State::kGranted; }
  bool refused(std::uint32_t place) const { return states_[place] == State::kRefused; }
  /// Numbers of replicas that have granted, and of those that have not answered yet.
  std::uint32_t grants() const { return count(State::kGranted); }
  std::uint32_t open() const { return count(State::kAsked); }
  /// Replicas that have not answered yet.
  std::vector<NodeId> awaited() const;

 private:
  enum class State : std::uint8_t { kNotAsked, kAsked, kGranted, kRefused, kMissing };

  std::uint32_t count(State state) const;
  bool decided() const;
  void settle(std::uint32_t place, State state);

  rdma::Worker& worker_;
  std::vector<NodeId> replicas_;  // [place]
  std::vector<State> states_;     // [place]
  rdma::FiberId waiter_ = rdma::kNoFiber;
  std::uint32_t needed_ = 0;  // by the waiter
  bool over_ = false;
};

}  // namespace verbena::txn::blocks
