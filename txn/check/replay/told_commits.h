// Commits that clients had been told of, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "txn/client_history.h"

namespace verbena::txn {

/// The commits of one slot by when their clients knew of them, in moments or in time: for each time
/// the latest that anybody had been told of by then. Not thread-safe.
class ToldCommits {
 public:
  struct Told {
    std::uint64_t at = 0;
    std::uint32_t count = 0;  ///< in the slot
    ClientId client = {};
    std::uint64_t sequence = 0;  ///< of the client's attempt
  };

  void add(const Told& told);

  /// The one with the greatest count that was told before `at`. Null: none is known, or it was
  /// forgotten; valid until the next change.
  const Told* latest_before(std::uint64_t at) const;

  /// Nobody will ask for what was told before an earlier time than `at`.
  void forget_before(std::uint64_t at);

  std::size_t size() const { return told_.size(); }

 private:
  std::deque<Told> told_;  // ascending by time and by count: earlier ones told later add nothing
};

}  // namespace verbena::txn
