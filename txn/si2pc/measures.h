// Counters and times of transactions.
#pragma once

#include <cstdint>
#include <string>

#include "txn/metrics.h"
#include "txn/system_info.h"
#include "txn/worker_metrics.h"

namespace verbena::txn::si2pc {

/// The steps of an attempt, in their order.
enum class Phase : std::uint8_t {
  kTimestamp,  ///< asking for a snapshot
  kRead,
  kPrepare,          ///< locking, and checking versions
  kCommitTimestamp,  ///< asking for that
  kCommit,           ///< installing new versions, which unlocks
};

/// Why an attempt did not commit.
struct Abort {
  /// A record to be written had a version that its snapshot does not hold, when it was read or
  /// locked: the first committer wins.
  static constexpr AbortCause kStaleSnapshot{0};
  /// A record to be written was locked when it was read or locked.
  static constexpr AbortCause kLocked{1};
  /// The version that its snapshot holds is not kept any more.
  static constexpr AbortCause kSnapshotTooOld{2};
  /// The application asked for it; not retried.
  static constexpr AbortCause kRolledBack{3};
};

enum class Counter : std::uint8_t {
  kReads,          ///< of records, at their nodes
  kReadThrough,    ///< of these, records that were locked and read all the same
  kOldReads,       ///< of these, old versions
  kScanned,        ///< keys that scans gave
  kSnapshotWaits,  ///< snapshots that were without the client's own last commit
  kParticipants,   ///< nodes that attempts wrote to and that prepared, the own one included
};

using WorkerMetrics = txn::WorkerMetrics<Phase, Counter>;

/// Its names are those of the enumerators above, in their order.
SystemInfo system_info(const std::string& name, const std::string& description,
                       const std::string& source);

}  // namespace verbena::txn::si2pc
