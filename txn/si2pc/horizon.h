// Commits that all snapshots in use hold, as a node learns of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"

namespace verbena::txn::si2pc {

/// Tells which commits all snapshots in use hold: those in a snapshot that a transaction used at
/// this node `longest_transaction` ago. No attempt uses an older snapshot, and none begins with a
/// snapshot that holds less than earlier ones. Only durations count, each by the clock of one
/// machine; clocks of different machines must run about equally fast. Thread-safe.
class Horizon {
 public:
  explicit Horizon(Nanoseconds longest_transaction)
      : patience_(longest_transaction + longest_transaction / 8) {}

  /// Notes that a transaction used this snapshot at `now`.
  void saw(std::uint64_t snapshot, Nanoseconds now);

  /// Latest commit known to be in all snapshots in use at `now` or later; 0: none is known.
  std::uint64_t held_by_all(Nanoseconds now) const;

 private:
  struct Seen {
    std::uint64_t snapshot;
    Nanoseconds at;
  };
  static constexpr std::int64_t kKept = 4;  // snapshots kept within `patience_`

  const Nanoseconds patience_;
  std::atomic<std::int64_t> next_ = INT64_MIN;  // time from which another is worth keeping
  mutable SpinLock changing_;
  std::deque<Seen> seen_;  // the first is the latest that is old enough, if any is
};

}  // namespace verbena::txn::si2pc
