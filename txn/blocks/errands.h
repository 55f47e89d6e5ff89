// Errands of a client at one replica, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/worker.h"
#include "txn/blocks/phase.h"

namespace verbena::txn::prism {
class Deaths;
}  // namespace verbena::txn::prism

namespace verbena::txn::blocks {

/// Part of a phase at one replica.
struct Errand {
  std::shared_ptr<Phase> phase;
  /// Asks the replica, waits, reports the answer to the phase, and does what else the answer
  /// requires, especially when it is too late (Phase::over). May throw PeerMissing, and VerbsError
  /// for a dead replica. An errand with several requests calls Errands::progress() after each
  /// answer.
  std::function<void()> carry_out;
  /// True if it is carried out even when its phase was over before it began.
  bool lasting = false;
  /// Block that a lasting errand writes. At a slow replica, a later errand of the same block
  /// replaces waiting ones.
  std::optional<std::uint64_t> block = std::nullopt;
};

/// Carries out the errands of one client at one replica in a background fiber, so that the client
/// does not wait for any single replica. Skips errands of phases that are over, unless they are
/// lasting. A slow replica that answers slows its client down before more than kMostQueued errands
/// wait. A silent one has at most one further lasting errand for each block. Belongs to the
/// worker's thread.
class Errands {
 public:
  static constexpr std::size_t kMostQueued = 16;

  /// `place`: of the replica in phases. The replica counts as silent when an answer is due for
  /// `silent_after`. All references must outlive this.
  Errands(rdma::Worker& worker, NodeId replica, std::uint32_t place, prism::Deaths& deaths,
          Nanoseconds silent_after);

  NodeId replica() const { return replica_; }
  std::uint32_t place() const { return place_; }

  /// Adds an errand, and tells its phase that the replica is asked. Errands of one client begin in
  /// this order, but lasting ones at a slow replica may begin later.
  void add(Errand errand);

  /// Suspends the client while the replica has a long queue and makes progress.
  void wait_for_room();

  /// Body of the background fiber.
  void run();

  /// Notes that the current errand has got an answer and goes on.
  void progress() {
    if (busy_since_ != kNever) busy_since_ = worker_.now();
  }

  /// Notes that the current errand waits for other clients, so that the replica owes no answer; and
  /// that it does again.
  void wait_for_others() { busy_since_ = kNever; }
  void ask_again() { busy_since_ = worker_.now(); }

  /// Time since which the replica owes an answer; kNever: it owes none.
  Nanoseconds busy_since() const { return busy_since_; }

  /// True if no errand is under way or waiting.
  bool idle() const { return !busy_ && queue_.empty() && postponed_.empty(); }

  /// Lets the fiber return once no errand is left; no errand may be added any more.
  void close();
  /// Drops all waiting errands.
  void drop() {
    queue_.clear();
    postponed_.clear();
  }
  bool ended() const { return ended_; }

 private:
  std::optional<Errand> take();
  bool lost() const;
  void carry_out(Errand& errand);
  void wake();

  rdma::Worker& worker_;
  const NodeId replica_;
  const std::uint32_t place_;
  prism::Deaths& deaths_;
  const Nanoseconds silent_after_;
  std::deque<Errand> queue_;
  std::map<std::uint64_t, Errand> postponed_;  // [block]
  rdma::FiberId sleeper_ = rdma::kNoFiber;     // the fiber, when idle
  Nanoseconds busy_since_ = kNever;
  bool busy_ = false;
  bool lost_ = false;  // true: it did not answer, and is asked no more
  bool closed_ = false;
  bool ended_ = false;
};

/// Errands of all clients of a worker.
class WorkerErrands {
 public:
  /// Declares a replica dead that owes an answer for longer than `suspect_after`. All references
  /// must outlive this.
  WorkerErrands(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint32_t fibers,
                prism::Deaths& deaths, Nanoseconds suspect_after);
  /// Drops all errands, which refer to their Errands and back.
  ~WorkerErrands();
  WorkerErrands(const WorkerErrands&) = delete;
  WorkerErrands& operator=(const WorkerErrands&) = delete;

  /// Errands of a client, by place.
  const std::vector<std::shared_ptr<Errands>>& of(std::uint32_t fiber) const {
    return errands_[fiber];
  }

  /// Bodies of the background fibers that carry out the worker's errands.
  std::vector<std::function<void()>> background();

  /// True if all these fibers have ended.
  bool ended() const;

 private:
  void look_after();
  bool idle() const;
  template <typename Visit>
  void for_each(Visit&& visit) const;

  rdma::Worker& worker_;
  prism::Deaths& deaths_;
  const Nanoseconds suspect_after_;
  std::vector<std::vector<std::shared_ptr<Errands>>> errands_;  // [fiber][place]
};

}  // namespace verbena::txn::blocks
