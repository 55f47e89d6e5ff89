// GETs and PUTs of PRISM-KV.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/prism/buffer_reports.h"
#include "rdma/prism/prism_batch.h"
#include "txn/kv/measures.h"
#include "txn/prism/layout.h"
#include "txn/prism/operation.h"

namespace verbena::txn::kv {

/// PRISM-KV (PRISM paper, section 6.1), with versions in its slots (txn/prism/object.h). An attempt
/// - reads what is behind the slot of its key, by one indirect, bounded READ; of a PUT that
///   replaces all only the object's header. Where the slot is another key's it goes on to the next;
/// - if it writes, has the server carry out a chain: WRITE the new bound and version to the scratch
///   memory; ALLOCATE a buffer with the new object, its address to the scratch memory as well;
///   compare-and-swap the slot with what stands there, if the new version is greater.
/// A swap that fails has met somebody else's since the look-up. Whoever has read what he replaces
/// tries again; to whoever has not it makes no difference: he counts as overwritten at once.
/// An attempt's write is there when the swap has been made, and what it reads is from when the
/// pointer was followed. A key keeps its slot for ever, also when it is erased.
class PrismOperation final : public prism::Operation {
 public:
  PrismOperation(rdma::Worker& worker, const Deployment& deployment, const prism::Layout& layout,
                 rdma::BufferReports& reports, WorkerMetrics& metrics)
      : Operation(worker, deployment, metrics),
        layout_(layout),
        reports_(reports),
        batch_(worker.rpc()) {}

  /// Bytes of the longest message of operations on any table, without the RPC's own header.
  static std::size_t message_bytes(const prism::Layout& layout);

 protected:
  bool look_up() override;
  void install() override;

 private:
  void find_none();
  bool take(std::span<const std::byte> object);
  void take_outcome(rdma::OpId allocate, rdma::OpId swap);
  void lack_buffer();
  void lose(std::uint64_t allocated);
  void give_back(std::uint64_t buffer);

  const prism::Layout& layout_;
  rdma::BufferReports& reports_;
  rdma::PrismBatch batch_;
  std::vector<std::byte> object_;  // that is installed
  std::uint64_t slot_ = 0;         // of the key, or one that was never used
  bool ours_ = false;              // the former
  std::uint64_t version_ = 0;      // of what the slot led to
};

}  // namespace verbena::txn::kv
