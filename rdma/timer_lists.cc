// Timers of few different durations, at constant cost.
#include "rdma/timer_lists.h"

#include <algorithm>

namespace verbena::rdma {

TimerId TimerLists::create(std::uint32_t target) {
  timers_.push_back({kNever, kNoTimer, kNoTimer, kNoList, target});
  return static_cast<TimerId>(timers_.size() - 1);
}

void TimerLists::arm(TimerId id, std::size_t list, Nanoseconds deadline) {
  if (armed(id)) disarm(id);
  Timer& timer = timers_[id];
  timer.deadline = deadline;
  timer.list = static_cast<std::uint32_t>(list);
  timer.next = kNoTimer;
  timer.previous = lists_[list].last;
  (timer.previous == kNoTimer ? lists_[list].first : timers_[timer.previous].next) = id;
  lists_[list].last = id;
  ++armed_;
}

void TimerLists::disarm(TimerId id) {
  Timer& timer = timers_[id];
  if (timer.list == kNoList) return;
  List& list = lists_[timer.list];
  (timer.previous == kNoTimer ? list.first : timers_[timer.previous].next) = timer.next;
  (timer.next == kNoTimer ? list.last : timers_[timer.next].previous) = timer.previous;
  timer.list = kNoList;
  --armed_;
}

TimerId TimerLists::take_due(Nanoseconds now) {
  if (armed_ == 0) return kNoTimer;
  for (const List& list : lists_) {
    const TimerId first = list.first;
    if (first != kNoTimer && timers_[first].deadline <= now) {
      disarm(first);
      return first;
    }
  }
  return kNoTimer;
}

Nanoseconds TimerLists::next_deadline() const {
  Nanoseconds next = kNever;
  if (armed_ == 0) return next;
  for (const List& list : lists_) {
    if (list.first != kNoTimer) next = std::min(next, timers_[list.first].deadline);
  }
  return next;
}

}  // namespace verbena::rdma
