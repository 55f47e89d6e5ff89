// Creation, reset and destruction of queue pairs, and the queues that they share.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "simnic/engine/slab.h"
#include "simnic/nic/completions.h"
#include "simnic/nic/event_handler.h"

namespace verbena::simnic {

/// Owns the queue pairs of a node. A destroyed one keeps its memory: others may still look there
/// for a peer, and see that it is not theirs.
class QueuePairs : private EventHandler {
 public:
  /// The arguments must outlive this.
  QueuePairs(const EventContext& context, Completions& completions)
      : EventHandler(context), completions_(completions) {}
  ~QueuePairs();
  QueuePairs(const QueuePairs&) = delete;
  QueuePairs& operator=(const QueuePairs&) = delete;

  /// Returns null when the NIC has no number left.
  QueuePair* create(ProtectionDomain& pd, const ibv_qp_init_attr& attributes);
  void destroy(QueuePair& qp);
  /// Empties both queues and sets counters as after creation. Nothing completes.
  void reset(QueuePair& qp);
  /// Returns the doorbell register of its context that the next queue pair in `pd` rings.
  static std::uint16_t choose_register(const ProtectionDomain& pd);
  /// Makes `qp` ring register `number` of its context.
  static void give_register(QueuePair& qp, std::uint16_t number);
  /// Allows others to ring the doorbell register of `qp`, too.
  static void share_register(QueuePair& qp);
  /// Returns attributes equal to `attributes` that live as long as this.
  const QueuePairAttributes* shared(const QueuePairAttributes& attributes) {
    return &*attributes_.insert(attributes).first;
  }
  /// Returns the queue of receive requests that `qp` uses.
  static ReceiveQueue& receives_of(QueuePair& qp);

  void add(SharedReceiveQueue* srq) { shared_receive_queues_.push_back(srq); }
  void remove(SharedReceiveQueue* srq) { std::erase(shared_receive_queues_, srq); }
  /// True if `srq` still exists.
  bool has(const SharedReceiveQueue* srq) const;
  void add(CompletionQueue* cq) { completion_queues_.push_back(cq); }
  void remove(CompletionQueue* cq) { std::erase(completion_queues_, cq); }
  /// Forgets which cores poll completion queues.
  void remove_pollers();

 private:
  /// Leaves the operations of PRISM that are pending to their events.
  void forget_chain(QueuePair& qp);
  /// Takes the entries of `qp` out of `cq`.
  void remove_completions(CompletionQueue& cq, const QueuePair& qp) const;

  Completions& completions_;
  Slab<QueuePair> queue_pairs_;  ///< by handle
  std::set<QueuePairAttributes> attributes_;
  std::vector<CompletionQueue*> completion_queues_;
  std::vector<std::unique_ptr<ChainContext>> abandoned_;  ///< of queue pairs that were reset
  std::vector<SharedReceiveQueue*> shared_receive_queues_;
};

}  // namespace verbena::simnic
