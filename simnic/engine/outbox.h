// Events that nodes cause at other nodes, on their way between the nodes' timelines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "simnic/engine/event_queue.h"

namespace verbena::simnic {

/// Takes events for nodes at once.
class EventReceiver {
 public:
  virtual ~EventReceiver() = default;
  virtual void receive(NodeId to, TimedEvent event) = 0;
};

/// The events that one thread's nodes have sent to others, by receiver: those of the current window
/// are kept apart from those of the one before, which are taken now. Belongs to one thread, but for
/// `take`.
class alignas(kCacheLineBytes) Outbox {
 public:
  explicit Outbox(std::size_t nodes) : filling_(nodes), full_(nodes) {}

  void add(NodeId to, TimedEvent event) {
    if (at_once_ != nullptr) return at_once_->receive(to, event);
    earliest_ = std::min(earliest_, event.time);
    filling_[to].push_back(event);
  }
  /// Hands events from now on to `receiver` instead of keeping them; null: keeps them again.
  void pass_at_once(EventReceiver* receiver) { at_once_ = receiver; }

  /// Closes a window: what was sent in it can be taken from now on. What could be taken before must
  /// have been.
  void turn() {
    filling_.swap(full_);
    earliest_ = kNeverPs;
  }
  /// Returns the earliest time of what was sent in the current window; kNeverPs: nothing was.
  Picoseconds earliest() const { return earliest_; }

  /// Calls `receive` with the events for `to` of the window before, in the order in which they were
  /// sent, and forgets them. Called by one thread for each receiver.
  template <typename Receive>
  void take(NodeId to, Receive&& receive) {
    for (const TimedEvent& event : full_[to]) receive(event);
    full_[to].clear();
  }

 private:
  EventReceiver* at_once_ = nullptr;
  Picoseconds earliest_ = kNeverPs;
  std::vector<std::vector<TimedEvent>> filling_;
  std::vector<std::vector<TimedEvent>> full_;
};

}  // namespace verbena::simnic
