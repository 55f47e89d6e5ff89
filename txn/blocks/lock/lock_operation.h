// GETs and PUTs of ABDLOCK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "txn/blocks/lock/lock_layout.h"
#include "txn/blocks/lock/lock_replica.h"
#include "txn/blocks/options.h"
#include "txn/blocks/replicas.h"
#include "txn/prism/clients.h"
#include "txn/prism/operation.h"

namespace verbena::txn::blocks {

/// Runs GETs and PUTs of ABDLOCK (PRISM paper, section 7.2): ABD with blocks replaced in place,
/// under locks. An operation takes four round trips:
/// - takes the block's locks at f + 1 of 2f + 1 replicas; otherwise releases those that it got and
///   tries again later, as another attempt;
/// - READs tag and value there;
/// - WRITEs, where it holds the lock, the version that a GET has found, or a PUT's value with a
///   greater tag;
/// - releases the locks.
/// The holder of f + 1 locks has the block for itself, and finds the last version that such a
/// holder has written. Locks of dead clients are never released: an operation that can no longer
/// get f + 1 is given up once the deaths are known.
class LockOperation final : public prism::Operation {
 public:
  /// `own`: the client's place. Takes scratch_bytes() of the worker's memory. All references must
  /// outlive this.
  LockOperation(rdma::Worker& worker, const Deployment& deployment, const LockLayout& layout,
                const Options& options, const prism::Clients& clients,
                const prism::ClientPlace& own, const std::vector<std::shared_ptr<Errands>>& errands,
                prism::WorkerMetrics& metrics);

  static std::size_t scratch_bytes(const LockLayout& layout, std::size_t replicas) {
    return replicas * LockReplica::scratch_bytes(layout);
  }

  /// Waits for `duration`. After an attempt that met others' locks, instead waits for a random time
  /// up to blocks.lock_backoff, and up to twice as long each further time.
  void wait(Nanoseconds duration) override;
  std::string waits_for() const override;
  bool gives_up() const override;

 protected:
  void begin_attempt(Kind kind) override;
  bool look_up() override;
  void install() override;

 private:
  std::shared_ptr<ReadPhase> find(std::uint32_t value_bytes);
  bool take_locks();
  std::uint32_t alive(const std::vector<bool>& without) const;
  bool is_dead(const LockPhase::Refusal& refusal) const;
  LockPhase::Refusal in_the_way() const;
  std::uint32_t left_to_the_living() const;
  void give_up(AbortCause cause);
  void write(Tag tag, std::span<const std::byte> value);
  void write_elsewhere(const std::shared_ptr<LockedWritePhase>& phase);
  void lock_more(std::uint32_t needed, const std::shared_ptr<LockedWritePhase>& phase);
  void unlock();
  bool wait_for_quorum(Phase& phase);
  Nanoseconds next_backoff();
  std::string holder_name(const LockPhase::Refusal& refusal) const;

  const LockLayout& layout_;
  const Options& options_;
  const prism::Clients& clients_;
  const std::uint64_t number_;
  Replicas replicas_;
  std::vector<std::shared_ptr<LockReplica>> asked_;  // [place]
  Random random_;
  Nanoseconds backoff_;  // next upper limit
  std::uint64_t block_ = 0;
  std::shared_ptr<Phase> current_;
  std::shared_ptr<LockPhase> locks_;
  std::vector<bool> held_;  // [place], true where something is being written
};

}  // namespace verbena::txn::blocks
