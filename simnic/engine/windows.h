// The time of a cluster: its nodes' timelines, advanced together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "rdma/base/time.h"
#include "simnic/engine/crew.h"
#include "simnic/engine/earliest_of.h"
#include "simnic/engine/outbox.h"
#include "simnic/engine/timeline.h"
#include "simnic/engine/window_times.h"

namespace verbena::simnic {

/// A node, as its windows need it.
class WindowNode {
 public:
  virtual ~WindowNode() = default;
  virtual Timeline& timeline() = 0;
  /// Lets happen what comes before `end`, on thread `thread` of the crew.
  virtual void run_until(Picoseconds end, unsigned thread) = 0;
  /// Lets happen what comes next, on thread 0.
  virtual void step() = 0;
};

/// Lets time pass in windows, each from the earliest event on. Within a window nothing that a node
/// does reaches another one, if windows are as long as the shortest way between two: so nodes may
/// go through it one after the other, or on several threads at once. A node handles the same events
/// in the same order whichever way.
class Windows final : private EventReceiver {
 public:
  /// Ways to go through a window.
  enum class Order : std::uint8_t {
    kByTime,  ///< the nodes' events in the order of their times, also where windows are too long
    kByNode,  ///< node after node, or several at once
  };

  /// The nodes must outlive this. `between` is called after each window with the time up to which
  /// all has happened.
  Windows(std::vector<WindowNode*> nodes, std::function<void(Picoseconds)> between);
  ~Windows() override;
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  /// Sets the length of windows, and how nodes go through them. Must be called before `advance`.
  /// Uses no more threads than nodes, and one by time.
  void set(Picoseconds length, Order order, unsigned threads);
  /// Measures by node on one thread, from now on; `times` must outlive this.
  void measure(WindowTimes& times) { times_ = &times; }
  unsigned threads() const { return static_cast<unsigned>(outboxes_.size()); }

  /// Time that has passed on all nodes; by time, that of the last event.
  Picoseconds now() const { return now_; }

  enum class Progress : std::uint8_t { kLimitReached, kAllFinished, kNothingToDo, kFailed };
  /// Lets time pass until `limit`, until all cores have finished or a task has thrown, which is
  /// looked at between windows. When `may_end` is set it also ends once no core will ever run
  /// again; else time passes up to the limit.
  Progress advance(Picoseconds limit, bool may_end);
  /// Returns the first exception that a task threw, once; by time, then by node.
  std::exception_ptr take_exception();

 private:
  Progress pass_windows(Picoseconds limit, bool may_end);
  void receive(NodeId to, TimedEvent event) override;
  void deliver();
  Picoseconds next_time() const;
  bool failed() const;
  bool finished() const;
  /// Returns the time of the last event on any node.
  Picoseconds last_time() const;
  Progress end_at(Picoseconds time, Progress progress);
  void run_by_time(Picoseconds end);
  void run_by_node(Picoseconds end);
  void work(unsigned thread);
  void work_measured();
  bool claim(std::size_t node);
  void run(std::size_t node, unsigned thread);

  std::vector<WindowNode*> nodes_;
  std::vector<Timeline*> timelines_;  ///< of the nodes
  std::function<void(Picoseconds)> between_;
  Picoseconds length_ = 0;
  Order order_ = Order::kByTime;
  Picoseconds now_ = 0;
  std::vector<Picoseconds> next_;  ///< by node: time of its next event, outboxes apart
  EarliestOf earliest_;
  std::vector<Outbox> outboxes_;  ///< by thread
  std::unique_ptr<Crew> crew_;    ///< null: one thread
  WindowTimes* times_ = nullptr;
  // State of the current window.
  Picoseconds end_ = 0;
  std::uint32_t window_ = 0;
  std::vector<std::atomic<std::uint32_t>> claimed_;  ///< by node: the last window that began
};

}  // namespace verbena::simnic
