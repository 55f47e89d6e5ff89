// Commits that all snapshots in use hold.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// Tells which commits all snapshots in use hold: those that the vector held `longest_transaction`
/// ago, since no transaction uses an older snapshot (NAM-DB paper, section 5.3: E). Only durations
/// count, each by the clock of one machine: clocks of different machines may differ in time, but
/// must run about equally fast. Thread-safe.
class Horizon {
 public:
  explicit Horizon(Nanoseconds longest_transaction) : longest_transaction_(longest_transaction) {}

  /// Adds `counts`, the vector that a READ completed at `now` gave.
  void add(Nanoseconds now, std::span<const std::uint32_t> counts);

  /// True if every snapshot in use at `now` or later holds that commit.
  bool holds(const Stamp& stamp, Nanoseconds now) const;

 private:
  struct Past {
    Nanoseconds at;
    std::vector<std::uint32_t> counts;
  };

  const Nanoseconds longest_transaction_;
  mutable SpinLock changing_;
  std::deque<Past> past_;  // the first is the latest that is old enough, if any is
};

}  // namespace verbena::txn::nam
