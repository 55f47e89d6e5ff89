// Blocks of a replica at rest, under locks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rdma/memory/region.h"
#include "txn/blocks/lock/lock_layout.h"
#include "txn/state_at_rest.h"

namespace verbena::txn::blocks {

/// Checks blocks that are replaced in place: only lost clients hold locks, and tags name existing
/// clients. Copies are not compared, since a replica that was not needed may lag behind. See
/// StateAtRest.
class LocksAtRest final : public txn::StateAtRest {
 public:
  /// Names the client with this number; empty if there is none.
  using NameOf = std::function<std::string(std::uint64_t client)>;
  /// Tells if that client's node was lost.
  using IsLost = std::function<bool(std::uint64_t client)>;

  /// `layout` and `region` must outlive this.
  LocksAtRest(const LockLayout& layout, rdma::Region& region, NameOf name_of, IsLost is_lost)
      : layout_(layout),
        region_(region),
        name_of_(std::move(name_of)),
        is_lost_(std::move(is_lost)) {}

  bool get(const RecordName& name, std::span<std::byte> payload) override;
  std::uint64_t version(const RecordName& name) override;
  void visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) override;
  SelfCheck self_check() override;

 private:
  /// Visits a block that may have changed, with its index and offset.
  using BlockVisitor =
      std::function<void(std::uint64_t index, std::uint64_t offset, const LockBlock& block)>;

  void visit_touched(TableId table, const BlockVisitor& visitor);
  LockBlock header_at(std::uint64_t offset);
  std::span<const std::byte> value_at(TableId table, std::uint64_t offset);
  std::string fault(TableId table, std::uint64_t index, std::uint64_t offset,
                    const LockBlock& block);

  const LockLayout& layout_;
  rdma::Region& region_;
  NameOf name_of_;
  IsLost is_lost_;
};

}  // namespace verbena::txn::blocks
