// The commits that all snapshots in use hold, as a node comes to know of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"

namespace verbena::txn::si2pc {

/// No attempt goes by a snapshot that is older than some time, and none begins with one that holds
/// less than any before. So what a snapshot held that was used at the node that long ago is in all.
/// Only durations count, by the clock of whoever measures them, and clocks of different machines go
/// about equally fast. Thread-safe.
class Horizon {
 public:
  explicit Horizon(Nanoseconds longest_transaction)
      : patience_(longest_transaction + longest_transaction / 8) {}

  /// At `now` somebody went by this snapshot.
  void saw(std::uint64_t snapshot, Nanoseconds now);

  /// The latest commit that is known to be in all snapshots in use at `now` or later; 0: of none
  /// this is known.
  std::uint64_t held_by_all(Nanoseconds now) const;

 private:
  struct Seen {
    std::uint64_t snapshot;
    Nanoseconds at;
  };
  static constexpr std::int64_t kKept = 4;  // in the time after which they count

  const Nanoseconds patience_;
  std::atomic<std::int64_t> next_ = INT64_MIN;  // when another is worth keeping
  mutable SpinLock changing_;
  std::deque<Seen> seen_;  // the first is the latest that is old enough, if any is
};

}  // namespace verbena::txn::si2pc
