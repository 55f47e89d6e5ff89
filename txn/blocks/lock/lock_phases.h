// The phases of operations of ABDLOCK that lock and write.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "txn/blocks/phase.h"
#include "txn/blocks/tag.h"

namespace verbena::txn::blocks {

/// Takes the locks of a block. Once it is over, whoever gets one gives it back.
class LockPhase final : public Phase {
 public:
  LockPhase(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint64_t block)
      : Phase(worker, replicas), block_(block), holders_(replicas.size()) {}

  std::uint64_t block() const { return block_; }

  /// The client `holder` has the lock there.
  void refuse(std::uint32_t place, std::uint64_t holder) {
    holders_[place] = holder;
    answer(place, false);
  }
  /// A client that had a lock, and where.
  struct Refusal {
    std::uint32_t place = 0;
    std::uint64_t holder = 0;  ///< 0: nobody had one
  };
  /// Refusals by place.
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

/// Replaces tag and value of a block whose locks are held.
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
