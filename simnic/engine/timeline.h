// Simulated time: the events to come, and the cores whose code runs between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "rdma/seam/fabric.h"
#include "simnic/engine/event_queue.h"
#include "simnic/engine/meetings.h"
#include "simnic/engine/sim_core.h"
#include "simnic/engine/stack_arena.h"
#include "simnic/observe/observer.h"
#include "simnic/profile/profile.h"

namespace verbena::simnic {

/// Time, which only moves inside `advance`. One thread.
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
  Timeline(CoreHost& host, const Conditions& conditions);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

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
  const EventQueue& events() const { return queue_; }

  /// Gives every task a core, of the kind that `cpu_of` tells for its node; they run from the next
  /// `advance` on.
  void start(std::vector<rdma::CoreTask> tasks,
             const std::function<const CpuProfile&(NodeId)>& cpu_of);
  enum class Progress { kLimitReached, kAllFinished, kNothingToDo, kFailed };
  /// Handles events until `limit`, until all cores have finished or a task has thrown. When
  /// `may_end` is set it also ends once no core will ever run again; else time passes up to the
  /// limit. Calls `look_ahead()` when an event was taken off the queue, and `handle(event)` for
  /// those that are not of cores.
  template <typename LookAhead, typename Handle>
  Progress advance(Picoseconds limit, bool may_end, LookAhead look_ahead, Handle handle);
  /// Unwinds the cores that have not finished and forgets all.
  void stop();
  /// Lets the cores of `node` stand still for ever.
  void stop_cores(NodeId node);
  /// Returns the exception that a task threw, once.
  std::exception_ptr take_exception();
  const std::vector<std::unique_ptr<SimCore>>& cores() const { return cores_; }

 private:
  void digest(const TimedEvent& event);
  void run_ready();
  SimCore* core(std::uint32_t number);
  void handle_core(const TimedEvent& event);

  CoreHost& host_;
  Conditions conditions_;
  Meetings meetings_;
  Picoseconds now_ = 0;
  EventQueue queue_;
  std::uint64_t digest_;
  std::uint32_t limits_set_ = 0;
  std::size_t limits_queued_ = 0;
  SimCore* current_ = nullptr;
  std::vector<SimCore*> ready_;
  std::vector<std::unique_ptr<SimCore>> cores_;
  std::uint32_t first_core_ = 0;  ///< number of cores_[0]; every run's cores have new numbers
  std::uint32_t unfinished_ = 0;
  std::exception_ptr exception_;
  std::unique_ptr<StackArena> stacks_;
};

inline void Timeline::digest(const TimedEvent& event) {
  constexpr std::uint64_t kMultiplier = 0x9fb21c651e98df25;
  const std::uint64_t what = std::uint64_t{event.index} << 32 | event.tag_and_kind;
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
Timeline::Progress Timeline::advance(Picoseconds limit, bool may_end, LookAhead look_ahead,
                                     Handle handle) {
  const std::uint32_t limit_tag = ++limits_set_ & TimedEvent::kTagMask;
  schedule(limit, EventKind::kLimit, 0, limit_tag);
  ++limits_queued_;
  bool cores_ran = true;
  run_ready();
  while (true) {
    if (cores_ran) {
      if (exception_ != nullptr) return Progress::kFailed;
      if (unfinished_ == 0) return Progress::kAllFinished;
    }
    if (queue_.size() == limits_queued_ && may_end) return Progress::kNothingToDo;
    const TimedEvent event = queue_.pop();
    look_ahead();
    now_ = event.time;
    if (event.kind() == EventKind::kLimit) {
      --limits_queued_;
      if (event.tag() != limit_tag) continue;  // of an earlier run that ended before it
      return Progress::kLimitReached;
    }
    digest(event);
    if (event.kind() <= EventKind::kCoreWake) {
      handle_core(event);
    } else {
      handle(event);
    }
    cores_ran = !ready_.empty();
    if (cores_ran) run_ready();
  }
}

}  // namespace verbena::simnic
