// A node's store when nothing runs any more.
#pragma once

#include "txn/schema/table.h"
#include "txn/state_at_rest.h"
#include "txn/store/store.h"

namespace verbena::txn {

/// Shows a store to checks; fills none of its pages. Store and schema must outlive it.
class StoreAtRest final : public StateAtRest {
 public:
  StoreAtRest(Store& store, const Schema& schema) : store_(store), schema_(schema) {}

  bool get(const RecordName& name, std::span<std::byte> payload) override;
  void visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) override;
  void scan(const KeyRange& range, const KeyVisitor& visitor) override;
  std::uint64_t count(const KeyRange& range) override;
  SelfCheck self_check() override;

 private:
  void check_partition(PartitionId partition) const;
  void visit_entry(TableId table, std::uint32_t entry, std::span<std::byte> payload,
                   const ChangedRecord& visitor);

  Store& store_;
  const Schema& schema_;
};

}  // namespace verbena::txn
