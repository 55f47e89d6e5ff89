// The thread of a worker: node and number, core and fibers.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "rdma/base/types.h"
#include "rdma/fibers/fiber_scheduler.h"
#include "rdma/seam/core.h"

namespace verbena::rdma {

/// A worker's thread as requests and RPCs need it: its core and fibers. Not thread-safe: belongs to
/// the thread that runs the worker.
class WorkerThread {
 public:
  /// `poll` polls for the completions that the fibers wait for.
  WorkerThread(NodeId node, WorkerId id, std::size_t stack_bytes, std::size_t stacks_at_once,
               std::function<void()> poll)
      : node_(node), id_(id), fibers_(stack_bytes, stacks_at_once), poll_(std::move(poll)) {}

  NodeId node() const { return node_; }
  WorkerId id() const { return id_; }
  FiberScheduler& fibers() { return fibers_; }
  const FiberScheduler& fibers() const { return fibers_; }

  /// Sets the core that runs the worker; null when none does.
  void run_on(Core* core) { core_ = core; }
  /// Returns the core; only while it runs the worker.
  Core& core() const { return *core_; }

  FiberId current_fiber() const { return fibers_.current(); }
  void suspend() { fibers_.suspend(); }
  void make_ready(FiberId fiber) {
    if (core_ != nullptr) core_->note(Notice::kReadies, fiber);
    fibers_.make_ready(fiber);
  }

  /// Polls on the calling fiber when it is the only one. That saves two switches where the device
  /// is fast or completes requests while they are posted. Does so at most kLooks times between two
  /// turns of the event loop, which has peers to serve.
  void look_if_alone() {
    if (fibers_.alive() != 1 || looks_ == kLooks) return;
    ++looks_;
    poll_();
  }

  /// Begins a turn of the event loop.
  void begin_turn() { looks_ = 0; }

 private:
  static constexpr std::uint32_t kLooks = 16;

  NodeId node_;
  WorkerId id_;
  Core* core_ = nullptr;
  FiberScheduler fibers_;
  std::function<void()> poll_;
  std::uint32_t looks_ = 0;  // since the last turn
};

}  // namespace verbena::rdma
