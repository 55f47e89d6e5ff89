// Phase of PRISM-RS's operations that writes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rdma/chain/operation.h"
#include "txn/blocks/phase.h"
#include "txn/blocks/tag.h"

namespace verbena::txn::blocks {

/// Writes a version of a block at a quorum of replicas that do not have a later one.
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
  /// Content of the buffer: tag and value.
  std::span<const std::byte> object() const { return object_; }

 private:
  const std::uint64_t metadata_at_;
  const rdma::FreeListId list_;
  const std::vector<std::byte> object_;
};

}  // namespace verbena::txn::blocks
