// The fibers of one worker: who is ready, who sleeps until when, and the switches to them.
#include "rdma/fibers/fiber_scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace verbena::rdma {
namespace {

void prefetch(std::span<const std::byte> range) {
  for (std::size_t at = 0; at < range.size(); at += kCacheLineBytes)
    __builtin_prefetch(range.data() + at);
}

}  // namespace

FiberScheduler::FiberScheduler(std::size_t stack_bytes, std::size_t stacks_at_once)
    : stacks_(stack_bytes, stacks_at_once) {}

FiberScheduler::~FiberScheduler() {
  for (FiberId id = 0; id < fibers_.size(); ++id) {
    if (!fibers_[id].alive) continue;
    current_ = id;
    fibers_[id].fiber->cancel();
  }
}

void FiberScheduler::spawn(std::function<void()> body) {
  FiberId id;
  if (free_.empty()) {
    id = static_cast<FiberId>(fibers_.size());
    fibers_.emplace_back().fiber = std::make_unique<Fiber>();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Slot& slot = fibers_[id];
  slot.fiber->start(std::move(body), stacks_.take());
  slot.frame = slot.fiber->frame();
  slot.alive = true;
  slot.expected = {};
  ++alive_;
  make_ready(id);
}

void FiberScheduler::make_ready(FiberId id) {
  Slot& slot = fibers_[id];
  if (!slot.alive || slot.queued)
    throw std::logic_error("make_ready of a fiber that is not suspended");
  constexpr std::size_t kFrameBytes = 384;
  __builtin_prefetch(slot.fiber.get());
  prefetch({slot.frame, kFrameBytes});
  for (const std::span<const std::byte> range : slot.expected) prefetch(range);
  slot.queued = true;
  slot.next_ready = kNoFiber;
  if (ready_head_ == kNoFiber) {
    ready_head_ = id;
  } else {
    fibers_[ready_tail_].next_ready = id;
  }
  ready_tail_ = id;
}

FiberId FiberScheduler::take_ready() {
  const FiberId id = ready_head_;
  Slot& slot = fibers_[id];
  ready_head_ = slot.next_ready;
  slot.queued = false;
  return id;
}

void FiberScheduler::switch_to(FiberId id) {
  Fiber& fiber = *fibers_[id].fiber;
  ++switches_;
  current_ = id;
  const bool returned = fiber.enter();
  current_ = kNoFiber;
  // The fiber may have spawned others.
  Slot& slot = fibers_[id];
  slot.frame = fiber.frame();
  if (!returned) return;
  slot.alive = false;
  --alive_;
  stacks_.give_back(fiber.stack());
  free_.push_back(id);
  if (std::exception_ptr exception = fiber.take_exception()) std::rethrow_exception(exception);
}

void FiberScheduler::suspend() {
  if (current_ == kNoFiber) throw std::logic_error("suspend outside of a fiber");
  fibers_[current_].fiber->leave();
}

void FiberScheduler::expect(const void* first, std::size_t bytes) {
  if (current_ == kNoFiber) throw std::logic_error("expect outside of a fiber");
  for (std::span<const std::byte>& range : fibers_[current_].expected) {
    if (!range.empty()) continue;
    range = {static_cast<const std::byte*>(first), bytes};
    return;
  }
}

void FiberScheduler::sleep_until(Nanoseconds deadline) {
  if (current_ == kNoFiber) throw std::logic_error("sleep_until outside of a fiber");
  sleepers_.push_back({deadline, sleep_sequence_++, current_});
  std::push_heap(sleepers_.begin(), sleepers_.end());
  suspend();
}

FiberId FiberScheduler::take_sleeper() {
  const FiberId fiber = sleepers_.front().fiber;
  std::pop_heap(sleepers_.begin(), sleepers_.end());
  sleepers_.pop_back();
  return fiber;
}

}  // namespace verbena::rdma
