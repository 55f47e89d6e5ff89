// A node that keeps nothing.
#pragma once

#include "txn/state_at_rest.h"

namespace verbena::txn::prism {

/// The state of a client.
class NothingAtRest final : public txn::StateAtRest {
 public:
  bool get(const RecordName&, std::span<std::byte>) override { return false; }
  void visit_changed(TableId, PartitionId, const ChangedRecord&) override {}
  SelfCheck self_check() override { return {}; }
};

}  // namespace verbena::txn::prism
