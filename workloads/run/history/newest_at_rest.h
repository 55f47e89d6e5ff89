// Records whose copies need not be equal, when nothing runs any more.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "txn/state_at_rest.h"

namespace verbena::workloads {

/// The copies of a partition as one: of each record the copy of the greatest version counts. Of
/// systems with quorums.
class NewestAtRest final : public txn::StateAtRest {
 public:
  /// One or more, which must outlive this.
  explicit NewestAtRest(std::vector<txn::StateAtRest*> copies) : copies_(std::move(copies)) {}

  bool get(const txn::RecordName& name, std::span<std::byte> payload) override {
    return newest(name).get(name, payload);
  }
  std::uint64_t version(const txn::RecordName& name) override { return newest(name).version(name); }
  void visit_changed(txn::TableId table, txn::PartitionId partition,
                     const ChangedRecord& visitor) override;
  /// Nothing: each copy is checked by itself.
  txn::SelfCheck self_check() override { return {}; }

 private:
  /// The first of several of the same version.
  txn::StateAtRest& newest(const txn::RecordName& name);

  std::vector<txn::StateAtRest*> copies_;
};

}  // namespace verbena::workloads
