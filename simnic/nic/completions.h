// Completions of requests, and the end of those of a queue pair that fails.
#pragma once

#include "simnic/nic/event_handler.h"

namespace verbena::simnic {

/// Writes entries of completion queues. A completion of a send is seen no earlier than that of the
/// request before, see QueuePair::last_completion.
class Completions : private EventHandler {
 public:
  explicit Completions(const EventContext& context) : EventHandler(context) {}

  /// Completes `request` with `status` once those before it have completed.
  void fail_request(Request& request, ibv_wc_status status);
  /// Completes the oldest request of `qp`, which has succeeded, and a failed one behind it. Returns
  /// false if there was one.
  bool finish_oldest(QueuePair& qp, bool in_completion);
  /// Returns a place in `cq` for a completion of `qp` that is seen from `seen` on; null when it is
  /// full. The caller fills its members at once, since copying a completion just made would stall
  /// the processor.
  Completion* add(CompletionQueue& cq, QueuePair& qp, Picoseconds seen);
  /// Puts `qp` into the error state: everything outstanding is flushed, in order.
  void fail(QueuePair& qp);
  /// Takes the first request off `queue`.
  void pop(ReceiveQueue& queue);

 private:
  void fail_oldest(QueuePair& qp);
  /// Adds the completion of a request; returns null when its queue is full.
  Completion* complete_send(QueuePair& qp, const Request& request, ibv_wc_status status);
  void flush(QueuePair& qp);
};

}  // namespace verbena::simnic
