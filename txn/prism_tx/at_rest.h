// A server's records when nothing runs any more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "txn/prism/state_at_rest.h"
#include "txn/prism_tx/records/owners.h"
#include "txn/state_at_rest.h"

namespace verbena::txn::prism_tx {

/// Objects behind slots. Checks that no key is still prepared, except by clients that have died,
/// that no object is later than its slot says, and that each buffer is referenced by one slot, or
/// free, or never used. Tables have no order, so keys are sorted for callers that ask in order. See
/// StateAtRest.
class ObjectsAtRest final : public prism::SlotsAtRest {
 public:
  /// All arguments must outlive this; `owners` may be constructed later.
  ObjectsAtRest(const prism::Layout& layout, rdma::Region& region, rdma::ChainServer& server,
                const prism::Keeper& keeper, const Owners& owners)
      : SlotsAtRest(layout, region, server, keeper), owners_(owners) {}

  void scan(const KeyRange& range, const KeyVisitor& visitor) override;
  std::uint64_t count(const KeyRange& range) override;
  SelfCheck self_check() override;

 protected:
  prism::Slot slot_at(std::uint64_t offset) override;
  std::string fault_of(const prism::SlotWords& words, const prism::ObjectHeader& object) override;

 private:
  /// Keys of a table that came and went since it was loaded, ascending.
  struct Changes {
    std::vector<Key> come;
    std::vector<Key> gone;
  };

  const Changes& changes(TableId table, PartitionId partition);

  const Owners& owners_;
  std::vector<std::optional<Changes>> changes_;  // [table]: once it was asked for
  std::uint64_t undecided_ = 0;                  // slots, counted by fault_of
};

}  // namespace verbena::txn::prism_tx
