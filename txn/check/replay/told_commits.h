// Commits that clients had been told of, and the times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "txn/client_history.h"

namespace verbena::txn {

/// The commits of one slot by the times at which their clients knew of them, in moments or in time.
/// Finds the latest commit that any client had been told of by a given time. Not thread-safe.
class ToldCommits {
 public:
  struct Told {
    std::uint64_t at = 0;
    std::uint32_t count = 0;  ///< number in the slot
    ClientId client = {};
    std::uint64_t sequence = 0;  ///< of the client's attempt
  };

  void add(const Told& told);

  /// Returns the commit with the greatest count that was told before `at`; valid until the next
  /// change. Null when none is known, or it was forgotten.
  const Told* latest_before(std::uint64_t at) const;

  /// Forgets commits that only a query for a time before `at` needs; none may follow.
  void forget_before(std::uint64_t at);

  std::size_t size() const { return told_.size(); }

 private:
  std::deque<Told> told_;  // ascending by time and by count: a lower count told later adds nothing
};

}  // namespace verbena::txn
