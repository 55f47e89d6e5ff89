// Timers of few different durations, at constant cost.
#include "rdma/rpc/timer_lists.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace verbena::rdma {

TimerId TimerLists::create(std::uint32_t target) {
  timers_.push_back({kNever, kNoTimer, kNoTimer, kNoList, target});
  return static_cast<TimerId>(timers_.size() - 1);
}

void TimerLists::arm(TimerId id, std::size_t list, Nanoseconds deadline) {
  assert(id < timers_.size() && list < lists_.size());
  if (armed(id)) disarm(id);
  Timer& timer = timers_[id];
  timer.deadline = deadline;
  timer.list = static_cast<std::uint32_t>(list);
  timer.next = kNoTimer;
  timer.previous = lists_[list].last;
  assert(timer.previous == kNoTimer || timers_[timer.previous].deadline <= deadline);
  (timer.previous == kNoTimer ? lists_[list].first : timers_[timer.previous].next) = id;
  lists_[list].last = id;
  used_ |= std::uint64_t{1} << list;
}

void TimerLists::disarm(TimerId id) {
  Timer& timer = timers_[id];
  if (timer.list == kNoList) return;
  List& list = lists_[timer.list];
  (timer.previous == kNoTimer ? list.first : timers_[timer.previous].next) = timer.next;
  (timer.next == kNoTimer ? list.last : timers_[timer.next].previous) = timer.previous;
  if (list.first == kNoTimer) used_ &= ~(std::uint64_t{1} << timer.list);
  timer.list = kNoList;
}

TimerId TimerLists::take_due(Nanoseconds now) {
  for (std::uint64_t used = used_; used != 0; used &= used - 1) {
    const TimerId first = lists_[static_cast<std::size_t>(std::countr_zero(used))].first;
    if (timers_[first].deadline <= now) {
      disarm(first);
      return first;
    }
  }
  return kNoTimer;
}

Nanoseconds TimerLists::next_deadline() const {
  Nanoseconds next = kNever;
  for (std::uint64_t used = used_; used != 0; used &= used - 1) {
    const TimerId first = lists_[static_cast<std::size_t>(std::countr_zero(used))].first;
    next = std::min(next, timers_[first].deadline);
  }
  return next;
}

}  // namespace verbena::rdma
