// The fibers of one worker: who is ready, who sleeps until when, and the switches to them.
#include "rdma/fiber_scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rdma/fiber.h"

namespace verbena::rdma {

FiberScheduler::FiberScheduler(std::size_t stack_bytes, std::size_t stacks_at_once)
    : stacks_(stack_bytes, stacks_at_once) {}

FiberScheduler::~FiberScheduler() {
  for (FiberId id = 0; id < fibers_.size(); ++id) {
    if (!fibers_[id]->alive) continue;
    current_ = id;
    fibers_[id]->cancel();
  }
}

void FiberScheduler::spawn(std::function<void()> body) {
  FiberId id;
  if (free_.empty()) {
    id = static_cast<FiberId>(fibers_.size());
    fibers_.push_back(std::make_unique<Fiber>());
  } else {
    id = free_.back();
    free_.pop_back();
  }
  fibers_[id]->start(std::move(body), stacks_.take());
  ++alive_;
  make_ready(id);
}

void FiberScheduler::make_ready(FiberId id) {
  Fiber& fiber = *fibers_[id];
  if (!fiber.alive || fiber.queued)
    throw std::logic_error("make_ready of a fiber that is not suspended");
  fiber.prefetch();
  fiber.queued = true;
  fiber.next_ready = kNoFiber;
  if (ready_head_ == kNoFiber) {
    ready_head_ = id;
  } else {
    fibers_[ready_tail_]->next_ready = id;
  }
  ready_tail_ = id;
}

FiberId FiberScheduler::take_ready() {
  const FiberId id = ready_head_;
  Fiber& fiber = *fibers_[id];
  ready_head_ = fiber.next_ready;
  fiber.queued = false;
  return id;
}

void FiberScheduler::switch_to(FiberId id) {
  Fiber& fiber = *fibers_[id];
  ++switches_;
  current_ = id;
  const bool returned = fiber.enter();
  current_ = kNoFiber;
  if (!returned) return;
  fiber.alive = false;
  --alive_;
  stacks_.give_back(fiber.stack());
  free_.push_back(id);
  if (std::exception_ptr exception = fiber.take_exception()) std::rethrow_exception(exception);
}

void FiberScheduler::suspend() {
  if (current_ == kNoFiber) throw std::logic_error("suspend outside of a fiber");
  fibers_[current_]->leave();
}

void FiberScheduler::sleep_until(Nanoseconds deadline) {
  if (current_ == kNoFiber) throw std::logic_error("sleep_until outside of a fiber");
  sleepers_.push_back({deadline, sleep_sequence_++, current_});
  std::push_heap(sleepers_.begin(), sleepers_.end());
  suspend();
}

void FiberScheduler::wake_sleepers(Nanoseconds now) {
  while (!sleepers_.empty() && sleepers_.front().deadline <= now) {
    make_ready(sleepers_.front().fiber);
    std::pop_heap(sleepers_.begin(), sleepers_.end());
    sleepers_.pop_back();
  }
}

}  // namespace verbena::rdma
