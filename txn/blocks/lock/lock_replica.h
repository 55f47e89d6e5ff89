// Requests of a client to one replica of ABDLOCK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/blocks/errands.h"
#include "txn/blocks/lock/lock_layout.h"
#include "txn/blocks/lock/lock_phases.h"
#include "txn/blocks/read_phase.h"
#include "txn/prism/measures.h"

namespace verbena::txn::blocks {

/// Carries out phases at one replica, by its NIC or its cores (RequestBatch). Each request waits
/// for the previous one, so those of a block take effect in order on any queue pairs. Belongs to
/// the fiber of the client's errands there.
class LockReplica : public std::enable_shared_from_this<LockReplica> {
 public:
  /// `number`: of the client. Takes scratch_bytes() of the worker's memory. All references must
  /// outlive this.
  LockReplica(rdma::Worker& worker, std::shared_ptr<Errands> errands, const LockLayout& layout,
              std::uint64_t number, prism::WorkerMetrics& metrics);

  static std::size_t scratch_bytes(const LockLayout& layout);

  /// Make the errands of a phase. Those that write or unlock are lasting.
  Errand locking(const std::shared_ptr<LockPhase>& phase);
  Errand reading(const std::shared_ptr<ReadPhase>& phase);
  Errand writing(const std::shared_ptr<LockedWritePhase>& phase);
  Errand unlocking(const std::shared_ptr<Phase>& phase, std::uint64_t block);

 private:
  void lock(LockPhase& phase);
  void read(ReadPhase& phase);
  void write(LockedWritePhase& phase);
  void unlock(std::uint64_t block);
  std::uint64_t compare_and_swap(std::uint64_t block, std::uint64_t expected,
                                 std::uint64_t desired);
  RemoteAddress at(std::uint64_t offset) const;
  void carry_out(prism::Counter counter);

  rdma::Worker& worker_;
  std::shared_ptr<Errands> errands_;
  const std::uint64_t number_;
  prism::WorkerMetrics& metrics_;
  rdma::RequestBatch requests_;
  std::span<std::byte> memory_;  // for what is read or written
};

}  // namespace verbena::txn::blocks
