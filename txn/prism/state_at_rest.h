// A server's objects when nothing runs any more.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rdma/memory/region.h"
#include "rdma/prism/chain_server.h"
#include "txn/prism/buffers/keeper.h"
#include "txn/prism/buffers/scavenger.h"
#include "txn/prism/layout.h"
#include "txn/state_at_rest.h"

namespace verbena::txn::prism {

/// Objects behind slots, and the books of buffers: each must be referenced by one slot, or free, or
/// never used. See StateAtRest.
class SlotsAtRest : public txn::StateAtRest {
 public:
  /// All arguments must outlive this.
  SlotsAtRest(const Layout& layout, rdma::Region& region, rdma::ChainServer& server,
              const Keeper& keeper)
      : layout_(layout), region_(region), server_(server), keeper_(keeper) {}

  /// Has the books allow for the buffers that clients may have lost. `scavenger` must outlive this.
  void lost_with(const Scavenger& scavenger) { scavenger_ = &scavenger; }

  bool get(const RecordName& name, std::span<std::byte> payload) override;
  void visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) override;
  SelfCheck self_check() override;

 protected:
  SlotWords words_at(std::uint64_t offset);
  ObjectHeader header_at(std::uint64_t offset);
  const Layout& layout() const { return layout_; }

  /// Returns the slot at `offset`, with version 0 if no key has it. By default in the format
  /// kBoundedSlots.
  virtual Slot slot_at(std::uint64_t offset);
  /// Returns the fault of a slot that a key has, with the header of its object, as a phrase: "is of
  /// ..."; empty when there is none.
  virtual std::string fault_of(const SlotWords& words, const ObjectHeader& object);

 private:
  /// Receives a slot that may have been used, and its number in its table. Slots of other keys
  /// follow those of loaded keys.
  using SlotVisitor = std::function<void(std::uint64_t number, const Slot& slot)>;

  void visit_touched(TableId table, const SlotVisitor& visitor);
  void visit_touched(const Layout::Slots& slots, std::uint64_t first_number,
                     const SlotVisitor& visitor);
  const std::byte* value_at(const Slot& slot, std::uint32_t bytes);
  std::string fault(TableId table, std::uint64_t number, const Slot& slot);
  void check_books(rdma::FreeListId list, SelfCheck& check);

  const Layout& layout_;
  rdma::Region& region_;
  rdma::ChainServer& server_;
  const Keeper& keeper_;
  const Scavenger* scavenger_ = nullptr;
};

}  // namespace verbena::txn::prism
