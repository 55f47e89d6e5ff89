// Timestamps of a fiber that has a slot of its own.
#pragma once

#include <cstdint>

#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/layout.h"
#include "txn/nam/timestamps.h"

namespace verbena::txn::nam {

/// Its commits count on, without a message; publishing one is a WRITE of the slot (NAM-DB paper,
/// section 4.1). A fiber that takes its time is in nobody's way.
class OwnSlot final : public Timestamps {
 public:
  /// `await`: whether publish waits until the vector has it. Otherwise one queue pair has to lead
  /// to the oracle, or the slot might go back.
  OwnSlot(rdma::Worker& worker, const Layout& layout, std::uint32_t slot, bool await)
      : layout_(layout), slot_(slot), await_(await), batch_(worker.connections()) {}

  Stamp take() override { return {.slot = slot_, .count = count_ = next_count(count_, slot_)}; }
  void publish(const Stamp& stamp) override;

 private:
  const Layout& layout_;
  const std::uint32_t slot_;
  const bool await_;
  rdma::RequestBatch batch_;
  std::uint32_t count_ = 0;
};

}  // namespace verbena::txn::nam
