// Counters and times of transactions.
#pragma once

#include <cstdint>
#include <string>

#include "txn/metrics.h"
#include "txn/system_info.h"
#include "txn/worker_metrics.h"

namespace verbena::txn::si2pc {

/// Steps of an attempt, in their order.
enum class Phase : std::uint8_t {
  kTimestamp,  ///< asking for a snapshot's timestamp
  kRead,
  kPrepare,          ///< locking, and checking versions
  kCommitTimestamp,  ///< asking for the commit's timestamp
  kCommit,           ///< installing new versions, which unlocks
};

/// Causes of attempts that do not commit.
struct Abort {
  /// A record to be written had, when read or locked, a version that the snapshot does not hold:
  /// the first committer wins.
  static constexpr AbortCause kStaleSnapshot{0};
  /// A record to be written was locked when it was read or locked.
  static constexpr AbortCause kLocked{1};
  /// The version in the snapshot is no longer kept.
  static constexpr AbortCause kSnapshotTooOld{2};
  /// The application asked for it; not retried.
  static constexpr AbortCause kRolledBack{3};
};

enum class Counter : std::uint8_t {
  kReads,          ///< records read at their nodes
  kReadThrough,    ///< of these, reads through a lock
  kOldReads,       ///< of these, reads of old versions
  kScanned,        ///< keys that scans returned
  kSnapshotWaits,  ///< snapshots that lacked the client's own last commit
  kParticipants,   ///< nodes that prepared for attempts, the own one included
};

using WorkerMetrics = txn::WorkerMetrics<Phase, Counter>;

/// Describes a system; names of phases and counters are those of the enumerators, in order.
SystemInfo system_info(const std::string& name, const std::string& description,
                       const std::string& source);

}  // namespace verbena::txn::si2pc
