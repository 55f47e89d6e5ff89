// Phases of ABDLOCK's operations that lock and write.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "txn/blocks/phase.h"
#include "txn/blocks/tag.h"

namespace verbena::txn::blocks {

/// Takes the locks of a block. A lock that comes after the phase is over is released at once.
class LockPhase final : public Phase {
 public:
  LockPhase(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint64_t block)
      : Phase(worker, replicas), block_(block), holders_(replicas.size()) {}

  std::uint64_t block() const { return block_; }

  /// Notes that the client `holder` has the lock at this replica.
  void refuse(std::uint32_t place, std::uint64_t holder) {
    holders_[place] = holder;
    answer(place, false);
  }
  /// Client that held a lock, and the replica's place.
  struct Refusal {
    std::uint32_t place = 0;
    std::uint64_t holder = 0;  ///< 0: nobody held it
  };
  /// Returns the refusals, by place.
  std::vector<Refusal> refusals() const {
    std::vector<Refusal> all;
    for (std::uint32_t place = 0; place < replicas(); ++place) {
      if (refused(place)) all.push_back({place, holders_[place]});
    }
    return all;
  }

 private:
  const std::uint64_t block_;
  std::vector<std::uint64_t> holders_;  // [place]
};

/// Replaces tag and value of a block whose locks the client holds.
class LockedWritePhase final : public Phase {
 public:
  LockedWritePhase(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint64_t block,
                   std::vector<std::byte> tag_and_value)
      : Phase(worker, replicas), block_(block), tag_and_value_(std::move(tag_and_value)) {}

  std::uint64_t block() const { return block_; }
  std::span<const std::byte> tag_and_value() const { return tag_and_value_; }

 private:
  const std::uint64_t block_;
  const std::vector<std::byte> tag_and_value_;
};

}  // namespace verbena::txn::blocks
