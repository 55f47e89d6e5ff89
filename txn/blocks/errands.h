// The errands of a client at one replica, one after the other.
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

/// A part of a phase, at one replica.
struct Errand {
  std::shared_ptr<Phase> phase;
  /// Asks the replica, waits, tells the phase of the answer, and does what else an answer takes,
  /// above all when it comes too late (Phase::over). May throw PeerMissing, and VerbsError of a
  /// dead replica. One that asks several times calls Errands::progress() with each answer.
  std::function<void()> carry_out;
  /// True if it is carried out also when its phase was over before it began.
  bool lasting = false;
  /// The block that a lasting one writes: of those that wait for a slow replica, a later one of the
  /// same block stands for the ones before it.
  std::optional<std::uint64_t> block = std::nullopt;
};

/// The errands of one client at one replica, and the fiber in the background that carries them out,
/// so that the client waits for no single replica's answer. Those of a phase that is over are left
/// out, unless they are lasting. A replica that answers, and is slower than others, makes the
/// client slow before it has more than kMostQueued to do; one that is silent has, beyond that, at
/// most one lasting errand for each block. Belongs to the worker's thread.
class Errands {
 public:
  static constexpr std::size_t kMostQueued = 16;

  /// `place` of the replica in phases; it is silent when it owes an answer for `silent_after`. All
  /// must outlive this.
  Errands(rdma::Worker& worker, NodeId replica, std::uint32_t place, prism::Deaths& deaths,
          Nanoseconds silent_after);

  NodeId replica() const { return replica_; }
  std::uint32_t place() const { return place_; }

  /// Hands an errand over; its phase is told that the replica is asked. Errands of one client begin
  /// in this order, but for lasting ones of a slow replica, which may come later.
  void add(Errand errand);

  /// Suspends the client while the replica has much to do and is getting on with it.
  void wait_for_room();

  /// Body of the fiber.
  void run();

  /// The errand that is being carried out has had an answer, and goes on.
  void progress() {
    if (busy_since_ != kNever) busy_since_ = worker_.now();
  }

  /// Since when the replica owes an answer; kNever: it owes none.
  Nanoseconds busy_since() const { return busy_since_; }

  /// True if nothing is being carried out, nor left to be.
  bool idle() const { return !busy_ && queue_.empty() && postponed_.empty(); }

  /// No errand will be added any more: the fiber returns when it has nothing left to do.
  void close();
  /// Forgets what is left to do.
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
  rdma::FiberId sleeper_ = rdma::kNoFiber;     // the fiber, while it has nothing to do
  Nanoseconds busy_since_ = kNever;
  bool busy_ = false;
  bool lost_ = false;  // it did not answer, and is asked nothing more
  bool closed_ = false;
  bool ended_ = false;
};

/// The errands of all clients of a worker.
class WorkerErrands {
 public:
  /// A replica that owes an answer for longer than `suspect_after` is declared dead. All must
  /// outlive this.
  WorkerErrands(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint32_t fibers,
                prism::Deaths& deaths, Nanoseconds suspect_after);
  /// Errands refer to what carries them out, and that to them.
  ~WorkerErrands();
  WorkerErrands(const WorkerErrands&) = delete;
  WorkerErrands& operator=(const WorkerErrands&) = delete;

  /// The errands of a client, by place.
  const std::vector<std::shared_ptr<Errands>>& of(std::uint32_t fiber) const {
    return errands_[fiber];
  }

  /// Bodies of the fibers in the background that the worker needs for them.
  std::vector<std::function<void()>> background();

  /// All of them have come to their end.
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
