// The two phases of operations of PRISM-RS.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rdma/chain/operation.h"
#include "txn/blocks/phase.h"
#include "txn/blocks/tag.h"

namespace verbena::txn::blocks {

/// Finds the latest version of a block that a quorum of replicas knows.
class RsReadPhase final : public Phase {
 public:
  /// Asks for the tag, of `metadata_at`, and `value_bytes` of value; 0: for the tag alone.
  RsReadPhase(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint64_t metadata_at,
              std::uint32_t value_bytes)
      : Phase(worker, replicas), metadata_at_(metadata_at), value_bytes_(value_bytes) {}

  std::uint64_t metadata_at() const { return metadata_at_; }
  std::uint32_t value_bytes() const { return value_bytes_; }

  /// A replica's tag and value. Too late, it changes nothing.
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
  /// The replicas that have answered with the newest tag.
  std::uint32_t holders() const { return holders_; }

 private:
  const std::uint64_t metadata_at_;
  const std::uint32_t value_bytes_;
  Tag newest_;
  std::vector<std::byte> value_;
  std::uint32_t holders_ = 0;
};

/// Makes a quorum of replicas know a version of a block, or a later one.
class RsWritePhase final : public Phase {
 public:
  RsWritePhase(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint64_t metadata_at,
               rdma::FreeListId list, std::vector<std::byte> object)
      : Phase(worker, replicas),
        metadata_at_(metadata_at),
        list_(list),
        object_(std::move(object)) {}

  std::uint64_t metadata_at() const { return metadata_at_; }
  rdma::FreeListId list() const { return list_; }
  /// The content of the buffer: tag and value.
  std::span<const std::byte> object() const { return object_; }

 private:
  const std::uint64_t metadata_at_;
  const rdma::FreeListId list_;
  const std::vector<std::byte> object_;
};

}  // namespace verbena::txn::blocks
