// GETs and PUTs of PRISM-KV.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rdma/prism/buffer_reports.h"
#include "txn/kv/measures.h"
#include "txn/kv/slots.h"
#include "txn/prism/layout.h"
#include "txn/prism/operation.h"

namespace verbena::txn::kv {

/// PRISM-KV (PRISM paper, section 6.1), with versions in its slots (txn/prism/object.h). An attempt
/// - reads the object behind the slot of its key, by one indirect, bounded READ; a blind PUT reads
///   only the object's header. Where the slot is another key's it goes on to the next;
/// - if it writes, has the server carry out a chain: WRITE the new bound and version to the scratch
///   memory; ALLOCATE a buffer with the new object, its address to the scratch memory as well;
///   compare-and-swap the slot with the scratch memory, if the new version is greater.
/// A swap fails when another client has swapped since the look-up. An attempt that has read what it
/// replaces then tries again; a blind PUT counts as overwritten at once. A write takes effect when
/// the swap is made, and a value read is from when the pointer was followed. A key keeps its slot
/// for ever, also when it is erased. Where NICs cannot do all of that, Slots have other ways.
class PrismOperation final : public prism::Operation {
 public:
  PrismOperation(rdma::Worker& worker, const Deployment& deployment, const prism::Layout& layout,
                 std::unique_ptr<Slots> slots, rdma::BufferReports& reports, WorkerMetrics& metrics)
      : Operation(worker, deployment, metrics),
        layout_(layout),
        reports_(reports),
        slots_(std::move(slots)) {}

 protected:
  bool look_up() override;
  void install() override;

 private:
  void find_none();
  bool take(std::span<const std::byte> object);
  void lack_buffer();
  void lose(std::uint64_t allocated);
  void give_back(std::uint64_t buffer);

  const prism::Layout& layout_;
  rdma::BufferReports& reports_;
  std::unique_ptr<Slots> slots_;
  std::vector<std::byte> object_;  // object to install
  bool ours_ = false;              // the slot read last is the key's; else it was never used
  std::uint64_t version_ = 0;      // version of the object behind the slot
};

}  // namespace verbena::txn::kv
