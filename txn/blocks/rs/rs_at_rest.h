// Blocks of a replica at rest, in buffers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "rdma/memory/region.h"
#include "rdma/prism/chain_server.h"
#include "txn/blocks/rs/rs_layout.h"
#include "txn/prism/buffers/keeper.h"
#include "txn/prism/buffers/scavenger.h"
#include "txn/state_at_rest.h"

namespace verbena::txn::blocks {

/// Checks blocks and the books of buffers: each buffer belongs to one block's metadata or is free.
/// See StateAtRest.
class RsAtRest final : public txn::StateAtRest {
 public:
  /// `primary`: true if the node has the first copy. `equal`, called at rest: true if all replicas
  /// were written alike, so that copies must be equal. All references must outlive this.
  RsAtRest(const RsLayout& layout, rdma::Region& region, rdma::ChainServer& server,
           const prism::Keeper& keeper, bool primary, std::function<bool()> equal);

  /// Has the books allow for the buffers that clients may have lost. `scavenger` must outlive this.
  void lost_with(const prism::Scavenger& scavenger) { scavenger_ = &scavenger; }

  /// Has blocks have locks, which nobody may have but clients that are `lost`, asked at rest.
  void check_locks(std::function<bool(std::uint64_t holder)> lost) { lost_ = std::move(lost); }

  bool get(const RecordName& name, std::span<std::byte> payload) override;
  std::uint64_t version(const RecordName& name) override;
  void visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) override;
  SelfCheck self_check() override;

 private:
  using Visitor = std::function<void(std::uint64_t block, const Metadata& metadata)>;

  /// Visits the blocks that may have changed.
  void visit_touched(const Visitor& visitor);
  Metadata metadata_of(std::uint64_t block);
  /// Returns the buffer's content of a block without a fault: tag and value.
  std::span<const std::byte> object_of(std::uint64_t block, const Metadata& metadata);
  const prism::BufferList& list_of(std::uint64_t block) const;
  std::string fault(std::uint64_t block, const Metadata& metadata);
  std::string fault_of_lock(std::uint64_t block);
  void check_books(rdma::FreeListId list, SelfCheck& check);

  const RsLayout& layout_;
  rdma::Region& region_;
  rdma::ChainServer& server_;
  const prism::Keeper& keeper_;
  const bool primary_;
  const std::function<bool()> equal_;
  const prism::Scavenger* scavenger_ = nullptr;
  std::function<bool(std::uint64_t)> lost_;  // none: there are no locks
};

}  // namespace verbena::txn::blocks
