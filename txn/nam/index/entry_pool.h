// Which entries of a table of a partition are nobody's.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"

namespace verbena::txn::nam {

/// Hands out entries for records that were not loaded: those that were given up so long ago that
/// nobody can come to them any more, then such as were never used. Thread-safe.
class EntryPool {
 public:
  /// The first `loaded` are of records that were loaded; there are `capacity` in all. Who comes to
  /// know of an entry forgets it within `longest_transaction`.
  EntryPool(std::uint64_t loaded, std::uint64_t capacity, Nanoseconds longest_transaction)
      : capacity_(capacity), longest_transaction_(longest_transaction), next_(loaded) {}

  /// Entries that were given up are used again only when `may_reuse` says so of when they were.
  void reuse_when(std::function<bool(Nanoseconds since)> may_reuse) {
    may_reuse_ = std::move(may_reuse);
  }

  /// So many are in use, or were; before anybody takes any.
  void restore(std::uint64_t used) { next_.store(used, std::memory_order_relaxed); }

  struct Taken {
    std::uint32_t entry = 0;
    bool again = false;  ///< it was another key's
  };
  /// False: all are in use.
  bool take(Nanoseconds now, Taken& taken);

  /// The time at which an entry that nobody knows was given up.
  static constexpr Nanoseconds kLongAgo{INT64_MIN / 2};

  /// One that somebody may know, since `now`.
  void give_up(std::uint32_t entry, Nanoseconds now);

  /// One that nobody has come to know of since it was taken.
  void give_back(std::uint32_t entry);

  /// One more than the highest entry that is in use.
  std::uint64_t used() const { return next_.load(std::memory_order_relaxed); }

  /// How many are nobody's, though perhaps not to be used again yet.
  std::uint64_t spare();

 private:
  struct Free {
    std::uint32_t entry;
    Nanoseconds since;
  };
  bool reusable(Nanoseconds now) const;

  const std::uint64_t capacity_;
  const Nanoseconds longest_transaction_;
  std::atomic<std::uint64_t> next_;
  SpinLock changing_;
  std::deque<Free> free_;  // in the order in which they were given up
  std::function<bool(Nanoseconds since)> may_reuse_;
};

}  // namespace verbena::txn::nam
