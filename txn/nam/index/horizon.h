// The commits that all snapshots in use hold.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// No transaction uses a snapshot that is older than some time (NAM-DB paper, section 5.3: E). So
/// what the vector of commits held that long ago is in the snapshots of all. Only durations count,
/// by the clock of whoever measures them: clocks of different machines need not agree on the time,
/// only go about equally fast. Thread-safe.
class Horizon {
 public:
  explicit Horizon(Nanoseconds longest_transaction) : longest_transaction_(longest_transaction) {}

  /// A READ of the vector was complete at `now`, and gave `counts`.
  void add(Nanoseconds now, std::span<const std::uint32_t> counts);

  /// True if every snapshot that is in use at `now`, or will be, holds that commit.
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
