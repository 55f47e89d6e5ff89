// A commit's place in a vector of commits.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "rdma/base/time.h"

namespace verbena::txn {

/// A commit: its writer, by its slot of a vector, and how many the writer has done with it. Both
/// count from 1; slot 0 and count 0 stand for what was loaded.
struct Stamp {
  std::uint32_t slot = 0;
  std::uint32_t count = 0;

  auto operator<=>(const Stamp&) const = default;
};

/// The snapshot that an attempt of a system with snapshots reads.
struct ReadSnapshot {
  std::span<const std::uint32_t> counts;  ///< of each writer, how many commits
  Nanoseconds fetched_at = 0;             ///< when it began to be fetched
  /// The attempt commits only if it holds what it writes before the snapshot is older.
  Nanoseconds usable = kNever;
};

/// Tells if a snapshot, which says of each slot how many of its commits it holds, has this one.
constexpr bool visible(const Stamp& stamp, std::span<const std::uint32_t> snapshot) {
  return stamp.count <= snapshot[stamp.slot];
}

}  // namespace verbena::txn
