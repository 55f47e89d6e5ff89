// One step of an operation, at all replicas at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/worker.h"

namespace verbena::txn::blocks {

/// The answers of replicas to what a step of an operation asks of them. The operation waits for
/// some and goes on; those that come later still find this, since the operation and whoever asks
/// share it. Replicas go by their place. Belongs to the worker's thread.
class Phase {
 public:
  Phase(rdma::Worker& worker, std::vector<NodeId> replicas);
  virtual ~Phase() = default;
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  /// A replica is being asked, which makes it count.
  void ask(std::uint32_t place);
  /// Notes that a replica has answered, and done what it was asked, or refused to. The first answer
  /// of each counts.
  void answer(std::uint32_t place, bool granted = true);
  /// Notes that a replica is dead. Counts for nothing once it has answered.
  void miss(std::uint32_t place);

  /// Suspends the operation until `needed` replicas have granted what they were asked. False: so
  /// many no longer can, of those that were asked.
  bool wait_for(std::uint32_t needed);
  /// The same, or throws PeerMissing, which names those that are dead.
  void require(std::uint32_t needed);

  /// The operation goes on: nobody waits for further answers.
  void end() { over_ = true; }
  bool over() const { return over_; }

  std::uint32_t replicas() const { return static_cast<std::uint32_t>(states_.size()); }
  bool asked(std::uint32_t place) const { return states_[place] != State::kNotAsked; }
  bool granted(std::uint32_t place) const { return states_[place] == State::kGranted; }
  bool refused(std::uint32_t place) const { return states_[place] == State::kRefused; }
  /// Numbers of those that have granted, and that have not answered yet.
  std::uint32_t grants() const { return count(State::kGranted); }
  std::uint32_t open() const { return count(State::kAsked); }
  /// The replicas that have not answered yet.
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
