// The attempt as the parts of a transaction share it: where it runs, its memory, its requests, and
// whether it can still commit.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/attempt_status.h"
#include "txn/occ/attempt/access_set.h"
#include "txn/occ/attempt/arena.h"
#include "txn/occ/node/measurements.h"
#include "txn/occ/node/node_state.h"
#include "txn/plan/plan.h"
#include "txn/store/lock_word.h"
#include "txn/transaction.h"

namespace verbena::txn::occ {

class Coordinator;

/// A record that is in an attempt's way.
struct Obstacle {
  RecordName name;
  std::uint64_t lock = kUnlocked;  ///< its lock word; kUnlocked: it has changed, or is not known
  std::uint32_t among = 1;         ///< it is one of so many of its node, not known which
};

/// The attempts of one fiber's transaction, one after the other. Belongs to the fiber.
///
/// A phase adds requests to `requests` and calls to `calls`, posts them by its plan, waits, and
/// leaves both empty for the next.
class Attempt {
 public:
  /// Coordinator, status and items are those of the transaction, and must outlive it.
  Attempt(Coordinator& coordinator, std::uint16_t fiber, AttemptStatus& status,
          std::vector<Access::Item>& items);

  /// Forgets the attempt before; takes the next number.
  void begin(txn::Transaction::Kind kind);

  NodeState& node() { return node_; }
  const NodeState& node() const { return node_; }
  rdma::Worker& worker() { return worker_; }
  rdma::Core& core() { return worker_.core(); }
  Measurements& measurements() { return measurements_; }
  Arena& arena() { return arena_; }
  AccessSet& accesses() { return accesses_; }
  rdma::RequestBatch& requests() { return requests_; }
  rdma::RpcBatch& calls() { return calls_; }
  const rdma::RpcBatch& calls() const { return calls_; }
  /// The longest request of a call, in bytes.
  std::size_t longest_request() { return worker_.rpc().max_payload(); }

  const Plan& plan() const { return node_.plan(); }
  /// The plan by which this attempt reads, as its kind does.
  const PhasePlan& read_plan() const { return *read_plan_; }

  std::uint16_t fiber() const { return fiber_; }
  /// Number of this attempt among the fiber's, from 1.
  std::uint64_t sequence() const { return sequence_; }
  /// The word that its locks carry (LockOwner).
  std::uint64_t lock_word() const { return lock_word_; }

  void doom(AbortCause cause) { status_.doom(cause); }
  bool doomed() const { return status_.doomed(); }
  /// Another transaction is in the way of this one, which is doomed unless the plan ignores that.
  void conflict(AbortCause cause) {
    if (!plan().ignore_conflicts) doom(cause);
  }
  void conflict(AbortCause cause, const Obstacle& obstacle) {
    if (!plan().ignore_conflicts) doom(cause, obstacle);
  }
  void doom(AbortCause cause, const Obstacle& obstacle) {
    if (!doomed()) obstacle_ = obstacle;
    doom(cause);
  }
  /// The record that doomed the attempt, also when it has ended, where one did.
  const std::optional<Obstacle>& obstacle() const { return obstacle_; }

  void count(Counter counter) { measurements_.count(counter); }

  /// See rdma::Core::reach.
  void reach(std::string_view point) { core().reach(point); }

  /// The node that has the primary copy of the record.
  static NodeId owner(const Access& access) { return Placement::primary(access.name().partition); }
  bool local(const Access& access) const { return owner(access) == node_.node(); }
  /// Address of the byte `offset` of the record's primary copy.
  RemoteAddress address(const Access& access, std::uint32_t offset) const {
    RemoteAddress at = node_.record_address(access.name(), access.entry());
    at.offset += offset;
    return at;
  }
  /// The record itself, which is local.
  std::byte* live(const Access& access) {
    assert(local(access));
    return node_.store().record(0, access.name().table, access.entry());
  }

  static rdma::Doorbell doorbell(const PhasePlan& phase) {
    return phase.doorbell ? rdma::Doorbell::kBatched : rdma::Doorbell::kEach;
  }
  /// Posts what was added of requests and calls.
  void post(const PhasePlan& phase);
  /// Posts and waits until all is answered; replies of calls stay until they are cleared.
  void post_and_wait(const PhasePlan& phase);

 private:
  NodeState& node_;
  rdma::Worker& worker_;
  Measurements& measurements_;
  AttemptStatus& status_;
  const PhasePlan* read_plan_ = nullptr;
  std::uint64_t lock_word_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint16_t fiber_;
  Arena arena_;
  rdma::RequestBatch requests_;
  rdma::RpcBatch calls_;
  AccessSet accesses_;
  std::optional<Obstacle> obstacle_;
};

}  // namespace verbena::txn::occ
