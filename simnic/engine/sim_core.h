// A simulated core: the clock, stack and sleep of one worker.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "rdma/base/fiber.h"
#include "rdma/base/random.h"
#include "rdma/base/time.h"
#include "rdma/seam/fabric.h"
#include "simnic/engine/polled_queue.h"
#include "simnic/observe/observer.h"

namespace verbena::simnic {

class SimCore;
class Timeline;
struct CpuProfile;

/// Number of sockets of every machine. NICs are plugged into them in turn. Workers fill one socket
/// after the other, then the second hardware threads of the cores.
inline constexpr std::uint32_t kSockets = 2;

/// Calls of cores to the model that they are part of.
class CoreHost {
 public:
  virtual ~CoreHost() = default;

  /// Lets the core's node die at once; see rdma::CrashPoint.
  virtual void crash(Picoseconds late) = 0;
  /// Lets NICs that write to `memory` wake `core`.
  virtual void watch(const ibv_mr& memory, SimCore& core) = 0;
};

/// Thrown out of `idle` and `spend` to unwind a core whose run has ended because of another core's
/// exception or a deadlock.
class RunEnded : public std::exception {
 public:
  const char* what() const noexcept override { return "the simulated run has ended"; }
};

/// One core. The timeline resumes it when it has something to do; in between its stack is at rest.
class SimCore final : public rdma::Core {
 public:
  enum class State : std::uint8_t {
    kRunning,
    kCatchingUp,
    kPreempted,
    kIdle,
    kReady,
    kStopped,
    kFinished
  };

  SimCore(Timeline& timeline, const CpuProfile& cpu, std::uint32_t number, rdma::CoreTask task,
          Stack stack);

  Nanoseconds now() const override { return to_nanoseconds(local_time_); }
  void idle(Nanoseconds deadline) override;
  void wake() override;
  void give_way() override;
  void watch(const ibv_mr& memory) override;
  void change(rdma::SharedLine& line, std::uint32_t lines) override;
  void look(const rdma::SharedLine& line) override;

  // For the model.
  Picoseconds local() const { return local_time_; }
  CoreMoment moment() const { return {task_.node, task_.worker, local_time_, spent_}; }
  /// Charges `cost`, which is that of a core with one thread.
  void charge(Picoseconds cost, rdma::Activity activity) {
    pass(scaled(cost, slowdown_, kSlowdownBits), activity);
  }
  /// Moves the core to `time`: it waits for a lock, then posts for `posting`.
  void take_lock(Picoseconds time, Picoseconds posting) {
    pass(time - local_time_ - posting, rdma::Activity::kLocks);
    pass(posting, rdma::Activity::kPosting);
  }
  void wait_until(Picoseconds time) { local_time_ = time > local_time_ ? time : local_time_; }

  /// Lets others run until the engine has reached the core's local clock.
  void catch_up();
  /// Tells that this core polls `queue` from now on, with its `completions`. The queue must live
  /// until the core polls it no more.
  void polls(const PolledQueue& queue, std::uint32_t completions, Picoseconds now);
  void polls_no_more(const PolledQueue& queue, std::uint32_t completions, Picoseconds now);
  /// Tells that a queue that this core polls has got a completion, which is seen from `seen` on.
  void add_pending(Picoseconds seen, Picoseconds now) {
    ++pending_;
    pending_time_ -= seen;
    if (state_ == State::kIdle) completion_comes(seen, now);
  }
  /// Removes completions that leave their queue at `now`, which may lie ahead.
  void remove_pending(std::uint32_t completions, Picoseconds now) {
    pending_ -= completions;
    pending_time_ += now * completions;
  }
  /// Returns the use of the core until the engine's `now`, or to its local clock, which may lie
  /// ahead.
  rdma::CoreUse use(Picoseconds now) const;

  /// Lets the core run from the timeline's present until it idles. An exception of the task is kept
  /// for `take_exception`.
  void resume();
  /// Tells that the engine has reached the core's local clock.
  void caught_up();
  /// Tells that a timer that was set for `time` fired.
  void timer_fired(Picoseconds time);
  /// Tells that another core's wake has come, or that a NIC has written to memory that this one
  /// watches.
  void woken();
  /// Unwinds the core: every further idle throws RunEnded.
  void end();
  /// Stops the core, since its node has died: it never runs again, until it is unwound.
  void stop() { state_ = State::kStopped; }
  bool stopped() const { return state_ == State::kStopped; }

  bool finished() const { return state_ == State::kFinished; }
  std::exception_ptr take_exception() { return std::exchange(exception_, nullptr); }
  NodeId node() const { return task_.node; }
  WorkerId worker() const { return task_.worker; }
  /// True if the node's NIC `index` is plugged into another socket than this core's.
  bool far_from(std::uint32_t index) const { return index % kSockets != socket_; }
  /// Tells that another thread runs on the same core.
  void share_core();

 private:
  std::uint32_t socket_of(std::uint32_t worker) const;
  /// Time to transfer a line that the core of that worker changed last.
  Picoseconds transfer_from(std::uint32_t worker) const;
  void die(const rdma::CrashPoint& crash) override;
  void noted(rdma::Notice notice, std::uint64_t what) override;
  void preempt() override;
  void interrupt(const void* at) override;
  void wait_for_others(const void* at);
  void let_pass(Picoseconds time);
  void leave();
  /// Asks to be told when the engine has reached the local clock.
  void catch_up_as(State state);
  /// Idles until `end_rest` or the deadline.
  void rest();
  /// Ends a rest: the core runs once the engine has reached its local clock, which may lie ahead.
  void end_rest();
  void set_timer(Picoseconds time);
  void make_ready();
  void completion_comes(Picoseconds seen, Picoseconds now);
  /// Returns the time from which a completion is seen in a queue that it polls.
  Picoseconds next_seen() const;
  bool has_reason_to_run(Picoseconds time) const;

  Timeline& timeline_;
  const CpuProfile& cpu_;
  std::uint32_t number_;
  std::uint32_t socket_;
  static constexpr unsigned kSlowdownBits = 20;
  std::int64_t slowdown_ = std::int64_t{1} << kSlowdownBits;  ///< of a shared core, in fixed point
  State state_ = State::kIdle;
  bool wake_ = false;
  Picoseconds resumed_at_{-1};  ///< local time when it last began to run
  bool ended_ = false;
  std::vector<const PolledQueue*> polled_;
  std::uint32_t pending_ = 0;
  /// Sum of the times at which completions left the queues, less the sum of the times from which
  /// they were seen; pending ones have not left.
  Picoseconds pending_time_ = 0;
  Picoseconds deadline_ = kNeverPs;
  Picoseconds timer_ = kNeverPs;  ///< the earliest timer event in the queue
  SplitMix random_;
  rdma::CoreTask task_;
  std::exception_ptr exception_;
  Fiber fiber_;
};

}  // namespace verbena::simnic
