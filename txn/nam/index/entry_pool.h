// Free entries of a table in a partition.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"

namespace verbena::txn::nam {

/// Hands out entries for records that were not loaded: first those given up so long ago that nobody
/// can still reach them, then those never used. Thread-safe.
class EntryPool {
 public:
  /// `loaded`: number of loaded records, which have the first entries; `capacity`: number of all
  /// entries. Users of an entry forget it within `longest_transaction`.
  EntryPool(std::uint64_t loaded, std::uint64_t capacity, Nanoseconds longest_transaction)
      : capacity_(capacity), longest_transaction_(longest_transaction), next_(loaded) {}

  /// Makes entries that were given up at `since` reusable only when `may_reuse(since)` is true,
  /// too.
  void reuse_when(std::function<bool(Nanoseconds since)> may_reuse) {
    may_reuse_ = std::move(may_reuse);
  }

  /// Sets the number of entries that are or were in use. To be called before any take().
  void restore(std::uint64_t used) { next_.store(used, std::memory_order_relaxed); }

  struct Taken {
    std::uint32_t entry = 0;
    bool again = false;  ///< true if another key had it before
  };
  /// Takes an entry; returns false if all are in use.
  bool take(Nanoseconds now, Taken& taken);

  /// Time of giving up for an entry that nobody knows.
  static constexpr Nanoseconds kLongAgo{INT64_MIN / 2};

  /// Gives up an entry that somebody may know until `now`.
  void give_up(std::uint32_t entry, Nanoseconds now);

  /// Gives back an entry that nobody has learned of since it was taken.
  void give_back(std::uint32_t entry);

  /// One more than the highest entry in use.
  std::uint64_t used() const { return next_.load(std::memory_order_relaxed); }

  /// Number of free entries, some perhaps not reusable yet.
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
