// Replicas of all blocks, as one client asks them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rdma/base/types.h"
#include "txn/blocks/errands.h"
#include "txn/blocks/options.h"
#include "txn/blocks/phase.h"

namespace verbena::txn::blocks {

/// Hands the parts of a client's phases to its errands. Belongs to the client's fiber.
class Replicas {
 public:
  /// Makes the errand of a phase at the replica of `place`.
  using MakeErrand = std::function<Errand(std::uint32_t place)>;

  /// `errands`: by place. `number`: of the client.
  Replicas(std::vector<std::shared_ptr<Errands>> errands, Ask ask, std::uint64_t number);

  std::uint32_t count() const { return static_cast<std::uint32_t>(errands_.size()); }
  /// Size of a quorum: f + 1 of 2f + 1, so any two quorums share a replica.
  std::uint32_t quorum() const;
  const std::vector<NodeId>& nodes() const { return nodes_; }
  Errands& errands(std::uint32_t place) { return *errands_[place]; }

  /// Begins an operation on `block`, a number unique to the block. Suspends while a replica that
  /// makes progress has too long a queue.
  void begin_operation(std::uint64_t block);

  /// Makes all replicas do their parts, or a quorum and, once one of it is dead, the others.
  /// Suspends until a quorum is done, then ends the phase. Throws PeerMissing when too few still
  /// can.
  void carry_out(const std::shared_ptr<Phase>& phase, const MakeErrand& part);

  /// Hands the parts over, without waiting. Returns true if some replicas were not asked.
  bool ask(const MakeErrand& part);
  /// Hands over the parts of replicas that were not asked.
  void ask_others(const std::shared_ptr<Phase>& phase, const MakeErrand& part);

 private:
  std::vector<std::shared_ptr<Errands>> errands_;  // [place]
  std::vector<NodeId> nodes_;                      // [place]
  const Ask ask_;
  const std::uint64_t number_;
  std::uint64_t operation_ = 0;
  std::uint32_t first_ = 0;  // place that the operation asks first
};

}  // namespace verbena::txn::blocks
