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

/// Objects behind slots: no key is prepared any more, but by clients that have died, none has an
/// object of later than its slot says, and each buffer is referenced by one slot, or free, or was
/// never used. Tables have no order, so keys are sorted for callers that ask in order. See
/// StateAtRest.
class ObjectsAtRest final : public prism::SlotsAtRest {
 public:
  /// All must outlive this; `owners` may come to life later.
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
  /// Differences of a table's keys from those that were loaded, ascending.
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
