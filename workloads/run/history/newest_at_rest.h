// Records at rest whose copies may differ.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "txn/state_at_rest.h"

namespace verbena::workloads {

/// Presents the copies of a partition as one: for each record, the copy with the greatest version.
/// For systems with quorums.
class NewestAtRest final : public txn::StateAtRest {
 public:
  /// `copies` has one or more, which must outlive this object.
  explicit NewestAtRest(std::vector<txn::StateAtRest*> copies) : copies_(std::move(copies)) {}

  bool get(const txn::RecordName& name, std::span<std::byte> payload) override {
    return newest(name).get(name, payload);
  }
  std::uint64_t version(const txn::RecordName& name) override { return newest(name).version(name); }
  void visit_changed(txn::TableId table, txn::PartitionId partition,
                     const ChangedRecord& visitor) override;
  /// Empty, since each copy is checked by itself.
  txn::SelfCheck self_check() override { return {}; }

 private:
  /// The newest copy; of several with the same version, the first.
  txn::StateAtRest& newest(const txn::RecordName& name);

  std::vector<txn::StateAtRest*> copies_;
};

}  // namespace verbena::workloads
