// Timestamps of a fiber that has its own slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/oracle/timestamps.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Counts the fiber's commits without messages; publishes one by a WRITE of the slot (NAM-DB paper,
/// section 4.1). A slow fiber delays no other.
class OwnSlot final : public Timestamps {
 public:
  /// `await`: true if publish waits until the vector has the commit. Otherwise all WRITEs must go
  /// through one queue pair to the oracle, or the slot might go back. `goes_on`: true if the slot
  /// holds commits of an earlier run.
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
  std::span<std::byte> read_;  // slot as it was; empty if it began at 0 or was read
  std::uint32_t count_ = 0;
};

}  // namespace verbena::txn::nam
