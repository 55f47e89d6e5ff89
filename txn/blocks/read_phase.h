// Phase of operations that reads a block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "txn/blocks/phase.h"
#include "txn/blocks/tag.h"

namespace verbena::txn::blocks {

/// Finds the latest version of a block that a quorum of replicas knows.
class ReadPhase final : public Phase {
 public:
  /// Asks for the tag of the block at offset `at` of the region, and for `value_bytes` of its
  /// value; 0: for the tag alone.
  ReadPhase(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint64_t at,
            std::uint32_t value_bytes)
      : Phase(worker, replicas), at_(at), value_bytes_(value_bytes) {}

  std::uint64_t at() const { return at_; }
  std::uint32_t value_bytes() const { return value_bytes_; }

  /// Takes a replica's tag and value. Keeps nothing of them if the phase is over.
  void take(std::uint32_t place, Tag tag, std::span<const std::byte> value) {
    if (!over() && tag > newest_) {
      newest_ = tag;
      value_.assign(value.begin(), value.end());
      holders_ = 0;
    }
    if (tag == newest_) ++holders_;
    answer(place);
  }

  Tag newest() const { return newest_; }
  const std::vector<std::byte>& value() const { return value_; }
  /// Number of replicas that answered with the newest tag.
  std::uint32_t holders() const { return holders_; }

 private:
  const std::uint64_t at_;
  const std::uint32_t value_bytes_;
  Tag newest_;
  std::vector<std::byte> value_;
  std::uint32_t holders_ = 0;
};

}  // namespace verbena::txn::blocks
