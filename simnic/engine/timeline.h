// A node's simulated time: its events to come, and the cores whose code runs between them.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "rdma/seam/fabric.h"
#include "simnic/engine/event_queue.h"
#include "simnic/engine/meetings.h"
#include "simnic/engine/outbox.h"
#include "simnic/engine/sim_core.h"
#include "simnic/observe/observer.h"
#include "simnic/profile/profile.h"

namespace verbena::simnic {

/// Time of one node, which only moves while its events are handled. One thread at a time; other
/// nodes are reached through `send` alone.
class Timeline {
 public:
  /// Conditions of a run, which never change.
  struct Conditions {
    const FabricProfile& fabric;
    std::uint64_t seed;
    bool chaos;          ///< show interleavings that the fast mode merges
    Observer* observer;  ///< null: none
  };

  /// `host` and what the conditions refer to must outlive this.
  Timeline(CoreHost& host, const Conditions& conditions, NodeId node);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  NodeId node() const { return node_; }
  Picoseconds now() const { return now_; }
  const Conditions& conditions() const { return conditions_; }
  CoreHost& host() { return host_; }
  Meetings& meetings() { return meetings_; }
  std::uint64_t trace_digest() const { return digest_; }

  /// The core whose code is running; null outside of a run.
  SimCore* current() const { return current_; }
  void set_current(SimCore* core) { current_ = core; }
  /// Lets `core` run after the event that is being handled.
  void make_ready(SimCore& core) { ready_.push_back(&core); }

  void schedule(Picoseconds time, EventKind kind, std::uint32_t index, std::uint32_t tag) {
    queue_.push(TimedEvent::make(time, kind, index, tag));
  }
  /// Schedules an event about a packet at node `to`, which may be this one.
  void send(NodeId to, Picoseconds time, EventKind kind, std::uint32_t packet) {
    if (to == node_) return schedule(time, kind, packet, 0);
    outbox_->add(to, TimedEvent::make(time, kind, packet, 1U + node_));
  }
  /// Sets where events for other nodes go from now on.
  void send_by(Outbox& outbox) { outbox_ = &outbox; }
  /// Takes an event that another node has sent here.
  void receive(TimedEvent event) { queue_.push(event); }
  const EventQueue& events() const { return queue_; }

  /// Returns a number that is greater than all that it has returned here, and all that other nodes
  /// had returned when they sent what has arrived; no two nodes return the same.
  std::uint64_t next_moment() {
    assert(now_ < kLastMoment);
    const std::uint64_t after = last_moment_ + (std::uint64_t{1} << kNodeBits);
    last_moment_ = std::max(moment_at(now_) | node_, after);
    return last_moment_;
  }
  /// Returns a number that is not greater than any that a node returns from `time` on.
  static std::uint64_t moment_at(Picoseconds time) {
    return static_cast<std::uint64_t>(time.count()) << kNodeBits;
  }

  /// Gives every task a core, which runs from now on; all are of this node. `stacks` has one for
  /// each.
  void start(std::vector<rdma::CoreTask> tasks, const CpuProfile& cpu,
             const std::vector<Stack>& stacks);
  /// Moves the clock on to `time`, up to which there are no events.
  void pass_to(Picoseconds time) { now_ = time; }

  /// Returns the time of what happens next; kNeverPs: nothing.
  Picoseconds next_time() const { return ready_.empty() ? queue_.next_time() : now_; }
  /// Lets happen all that comes before `end`. Calls `look_ahead()` when an event was taken off the
  /// queue, and `handle(event)` for those that are not of cores. Cores stand still from the moment
  /// at which a task has thrown.
  template <typename LookAhead, typename Handle>
  void run_until(Picoseconds end, LookAhead look_ahead, Handle handle);
  /// Lets happen what comes next, likewise.
  template <typename LookAhead, typename Handle>
  void step(LookAhead look_ahead, Handle handle);

  /// Unwinds the cores that have not finished and forgets all.
  void stop();
  /// Lets the cores stand still for ever.
  void stop_cores();
  /// Number of cores that have neither finished nor been stopped.
  std::uint32_t unfinished() const { return unfinished_; }
  /// The exception that a task threw, if one did, and when.
  const std::exception_ptr& exception() const { return exception_; }
  Picoseconds failed_at() const { return failed_at_; }
  std::exception_ptr take_exception() { return std::exchange(exception_, nullptr); }
  const std::vector<std::unique_ptr<SimCore>>& cores() const { return cores_; }

 private:
  static constexpr unsigned kNodeBits = 16;
  /// Two minutes: moments leave half of their numbers to what comes after a run.
  static constexpr Picoseconds kLastMoment{std::int64_t{1} << (63 - kNodeBits)};

  void digest(const TimedEvent& event);
  void run_ready();
  SimCore* core(std::uint32_t number);
  void handle_core(const TimedEvent& event);
  template <typename LookAhead, typename Handle>
  void take(const TimedEvent& event, LookAhead& look_ahead, Handle& handle);

  CoreHost& host_;
  Conditions conditions_;
  NodeId node_;
  SimCore* current_ = nullptr;
  Outbox* outbox_ = nullptr;
  Picoseconds now_ = 0;
  std::uint64_t last_moment_ = 0;
  std::uint64_t digest_;
  std::vector<SimCore*> ready_;
  EventQueue queue_;
  std::vector<std::unique_ptr<SimCore>> cores_;
  std::uint32_t first_core_ = 0;  ///< number of cores_[0]; every run's cores have new numbers
  std::uint32_t unfinished_ = 0;
  std::exception_ptr exception_;
  Picoseconds failed_at_ = 0;
  Meetings meetings_;
};

inline void Timeline::digest(const TimedEvent& event) {
  constexpr std::uint64_t kMultiplier = 0x9fb21c651e98df25;
  // A packet's number depends on the threads, so it is left out; later events tell what happens
  // with the packet.
  const std::uint32_t index = event.kind() >= EventKind::kRequestArrives ? 0 : event.index;
  const std::uint64_t what = std::uint64_t{index} << 32 | event.tag_and_kind;
  digest_ = (digest_ ^ static_cast<std::uint64_t>(event.time.count())) * kMultiplier;
  digest_ = ((digest_ >> 29) ^ digest_ ^ what) * kMultiplier;
}

inline void Timeline::run_ready() {
  // Code that runs may make further cores ready.
  for (std::size_t i = 0; i < ready_.size() && exception_ == nullptr; ++i) {
    SimCore& core = *ready_[i];
    if (core.stopped()) continue;
    core.resume();
    if (core.finished()) {
      --unfinished_;
      exception_ = core.take_exception();
      failed_at_ = now_;
    }
  }
  ready_.clear();
}

inline SimCore* Timeline::core(std::uint32_t number) {
  const std::uint32_t place = number - first_core_;
  if (place >= cores_.size() || cores_[place]->finished()) return nullptr;
  return cores_[place].get();
}

inline void Timeline::handle_core(const TimedEvent& event) {
  SimCore* target = core(event.index);
  if (target == nullptr) return;
  const EventKind kind = event.kind();
  if (kind == EventKind::kCoreCaughtUp) target->caught_up();
  if (kind == EventKind::kCoreTimer) target->timer_fired(event.time);
  if (kind == EventKind::kCoreWake) target->woken();
}

template <typename LookAhead, typename Handle>
void Timeline::take(const TimedEvent& event, LookAhead& look_ahead, Handle& handle) {
  look_ahead();
  now_ = event.time;
  digest(event);
  if (event.kind() <= EventKind::kCoreWake) {
    handle_core(event);
  } else {
    handle(event);
  }
  if (!ready_.empty()) run_ready();
}

template <typename LookAhead, typename Handle>
void Timeline::run_until(Picoseconds end, LookAhead look_ahead, Handle handle) {
  if (!ready_.empty()) run_ready();
  TimedEvent event;
  while (queue_.pop_before(end, event)) take(event, look_ahead, handle);
}

template <typename LookAhead, typename Handle>
void Timeline::step(LookAhead look_ahead, Handle handle) {
  if (!ready_.empty()) return run_ready();
  take(queue_.pop(), look_ahead, handle);
}

}  // namespace verbena::simnic
