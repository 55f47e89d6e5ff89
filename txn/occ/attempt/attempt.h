// State that the parts of a transaction share: its worker, memory and requests, and whether it can
// still commit.
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

/// Record that stood in an attempt's way.
struct Obstacle {
  RecordName name;
  std::uint64_t lock = kUnlocked;  ///< its lock word; kUnlocked: it has changed, or is unknown
  std::uint32_t among = 1;         ///< number of candidates of its node, one of which it is
};

/// Attempts of one fiber's transaction, one after the other. Belongs to the fiber.
///
/// A phase adds requests to requests() and calls to calls(), posts them by its plan, waits, and
/// leaves both empty for the next phase.
class Attempt {
 public:
  /// `coordinator`, `status` and `items` are the transaction's, and must outlive it.
  Attempt(Coordinator& coordinator, std::uint16_t fiber, AttemptStatus& status,
          std::vector<Access::Item>& items);

  /// Forgets the previous attempt and takes the next number.
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
  /// Bytes of the longest request of a call.
  std::size_t longest_request() { return worker_.rpc().max_payload(); }

  const Plan& plan() const { return node_.plan(); }
  /// Plan by which an attempt of this kind reads.
  const PhasePlan& read_plan() const { return *read_plan_; }

  std::uint16_t fiber() const { return fiber_; }
  /// Number of this attempt among the fiber's, from 1.
  std::uint64_t sequence() const { return sequence_; }
  /// Lock word of this attempt (LockOwner).
  std::uint64_t lock_word() const { return lock_word_; }

  void doom(AbortCause cause) { status_.doom(cause); }
  bool doomed() const { return status_.doomed(); }
  /// Dooms the attempt for a conflict with another transaction, unless the plan ignores conflicts.
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
  /// Record that doomed the attempt, if one did; kept after its end.
  const std::optional<Obstacle>& obstacle() const { return obstacle_; }

  void count(Counter counter) { measurements_.count(counter); }

  /// See rdma::Core::reach.
  void reach(std::string_view point) { core().reach(point); }

  /// Node with the primary copy of the record.
  static NodeId owner(const Access& access) { return Placement::primary(access.name().partition); }
  bool local(const Access& access) const { return owner(access) == node_.node(); }
  /// Address of the byte `offset` of the record's primary copy.
  RemoteAddress address(const Access& access, std::uint32_t offset) const {
    RemoteAddress at = node_.record_address(access.name(), access.entry());
    at.offset += offset;
    return at;
  }
  /// Live memory of a record, which must be local.
  std::byte* live(const Access& access) {
    assert(local(access));
    return node_.store().record(0, access.name().table, access.entry());
  }

  static rdma::Doorbell doorbell(const PhasePlan& phase) {
    return phase.doorbell ? rdma::Doorbell::kBatched : rdma::Doorbell::kEach;
  }
  /// Posts the requests and calls that were added.
  void post(const PhasePlan& phase);
  /// Posts and waits for all answers; replies of calls stay until they are cleared.
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
