// Requests of a client to one replica of PRISM-RS.
#pragma once

#include <cstdint>
#include <memory>

#include "rdma/prism/buffer_reports.h"
#include "rdma/worker.h"
#include "txn/blocks/errands.h"
#include "txn/blocks/read_phase.h"
#include "txn/blocks/rs/rs_access.h"
#include "txn/blocks/rs/rs_write_phase.h"
#include "txn/prism/measures.h"

namespace verbena::txn::blocks {

/// Carries out phases at one replica (PRISM paper, section 7.1). Belongs to the fiber of the
/// client's errands there.
class RsReplica : public std::enable_shared_from_this<RsReplica> {
 public:
  /// `reports`: of this replica alone. All references must outlive this.
  RsReplica(rdma::Worker& worker, std::shared_ptr<Errands> errands,
            std::unique_ptr<RsAccess> access, rdma::BufferReports& reports,
            prism::WorkerMetrics& metrics);

  /// Make the errands of a phase. A `lasting` write also reaches a slow replica.
  Errand reading(const std::shared_ptr<ReadPhase>& phase);
  Errand writing(const std::shared_ptr<RsWritePhase>& phase, bool lasting);

 private:
  void read(ReadPhase& phase);
  void write(RsWritePhase& phase);
  bool try_to_write(RsWritePhase& phase);
  void give_back(rdma::FreeListId list, std::uint64_t buffer);
  prism::RoundTrip counted(std::uint32_t& round_trips);

  rdma::Worker& worker_;
  std::shared_ptr<Errands> errands_;
  std::unique_ptr<RsAccess> access_;
  rdma::BufferReports& reports_;
  prism::WorkerMetrics& metrics_;
};

}  // namespace verbena::txn::blocks
