// Timestamps of a fiber that has a slot of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/oracle/timestamps.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Its commits count on, without a message; publishing one is a WRITE of the slot (NAM-DB paper,
/// section 4.1). A fiber that takes its time is in nobody's way.
class OwnSlot final : public Timestamps {
 public:
  /// `await`: whether publish waits until the vector has it. Otherwise one queue pair has to lead
  /// to the oracle, or the slot might go back. `goes_on`: commits of earlier are in the slot.
  OwnSlot(rdma::Worker& worker, const Layout& layout, std::uint32_t slot, bool await, bool goes_on);

  static std::size_t scratch_bytes() { return kCountBytes; }

  Stamp take() override;
  void publish(const Stamp& stamp) override;

 private:
  static constexpr std::size_t kCountBytes = 64;

  const Layout& layout_;
  const std::uint32_t slot_;
  const bool await_;
  rdma::RequestBatch batch_;
  std::span<std::byte> read_;  // the slot as it was; empty: it was none, or has been read
  std::uint32_t count_ = 0;
};

}  // namespace verbena::txn::nam
