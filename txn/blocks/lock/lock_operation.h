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

/// ABDLOCK (PRISM paper, section 7.2): ABD whose blocks are replaced in place, under locks. An
/// operation takes the block's locks at f + 1 of 2f + 1 replicas, or gives back those that it got
/// and tries again later, as another attempt; READs tag and value there; WRITEs what a GET has
/// found, or what a PUT brings, with a greater tag, wherever it holds the lock; and gives the locks
/// back: four round trips. Who holds f + 1 locks is alone with the block, and meets the last
/// version that such a one has written. Locks of clients that have died are never given back: an
/// operation to which these leave fewer than f + 1 is given up once their deaths are known.
class LockOperation final : public prism::Operation {
 public:
  /// The client's own place. Takes scratch_bytes() of the worker's memory. All that is referred to
  /// must outlive this.
  LockOperation(rdma::Worker& worker, const Deployment& deployment, const LockLayout& layout,
                const Options& options, const prism::Clients& clients,
                const prism::ClientPlace& own, const std::vector<std::shared_ptr<Errands>>& errands,
                prism::WorkerMetrics& metrics);

  static std::size_t scratch_bytes(const LockLayout& layout, std::size_t replicas) {
    return replicas * LockReplica::scratch_bytes(layout);
  }

  /// After an attempt whose locks others had, by this client's own times: up to
  /// blocks.lock_backoff, twice as long each time.
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
  Nanoseconds backoff_;  // the next limit
  std::uint64_t block_ = 0;
  std::shared_ptr<Phase> current_;
  std::shared_ptr<LockPhase> locks_;
  std::vector<bool> held_;  // [place], where something is being written
};

}  // namespace verbena::txn::blocks
