// Timers of few different durations, at constant cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/time.h"

namespace verbena::rdma {

/// Index of a timer.
using TimerId = std::uint32_t;
inline constexpr TimerId kNoTimer = UINT32_MAX;

/// Timers in lists. All timers of one list run for the same duration, so the list is sorted by
/// deadline as long as time does not go back.
class TimerLists {
 public:
  /// Makes `lists` lists, at most 64.
  explicit TimerLists(std::size_t lists) : lists_(lists) {}

  /// Creates a timer that is not armed. `target` is the user's.
  TimerId create(std::uint32_t target);

  void arm(TimerId id, std::size_t list, Nanoseconds deadline);
  void disarm(TimerId id);
  bool armed(TimerId timer) const { return timers_[timer].list != kNoList; }
  std::uint32_t target(TimerId timer) const { return timers_[timer].target; }

  /// Disarms and returns a timer whose deadline has come, searching lists in order; kNoTimer when
  /// there is none.
  TimerId take_due(Nanoseconds now);

  /// Returns the earliest deadline; kNever when no timer is armed.
  Nanoseconds next_deadline() const;

 private:
  static constexpr std::uint32_t kNoList = UINT32_MAX;
  struct Timer {
    Nanoseconds deadline;
    TimerId previous, next;
    std::uint32_t list;
    std::uint32_t target;
  };
  struct List {
    TimerId first = kNoTimer;
    TimerId last = kNoTimer;
  };
  std::vector<Timer> timers_;
  std::vector<List> lists_;
  std::uint64_t used_ = 0;  // bit i: list i is not empty
};

}  // namespace verbena::rdma
