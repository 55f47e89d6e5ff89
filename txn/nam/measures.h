// Counters and times of transactions.
#pragma once

#include <cstdint>
#include <string>

#include "txn/metrics.h"
#include "txn/system_info.h"

namespace verbena::txn::nam {

/// The steps of an attempt, in their order (NAM-DB paper, figure 5b).
enum class Phase : std::uint8_t {
  kTimestamp,  ///< fetching the vector of commits
  /// Rounds of READs of hash buckets, scans, and claims of keys with the locking meanwhile, if
  /// there were any; not counted in kRead and kLock.
  kIndex,
  kRead,
  kLock,
  kLog,  ///< writing the journal; zero if none is kept
  kInstall,
  kPublish,
};

/// Causes of attempts that do not commit.
struct Abort {
  /// A record to be written had, when read or locked, a version that the snapshot does not hold.
  static constexpr AbortCause kStaleSnapshot{0};
  /// A record to be written was locked when it was read or locked.
  static constexpr AbortCause kLocked{1};
  /// The version in the snapshot is no longer kept.
  static constexpr AbortCause kSnapshotTooOld{2};
  /// Another transaction claimed a key without an entry that was to be inserted.
  static constexpr AbortCause kKeyTaken{3};
  /// The application asked for it; not retried.
  static constexpr AbortCause kRolledBack{4};
  /// There was no room in overflow for an old version whose place a new one needed.
  static constexpr AbortCause kOverflowFull{5};
};

/// Durations that belong to no phase.
enum class Time : std::uint8_t {
  kSnapshotAge,  ///< from the READ of its vector to a transaction's use of it
};

enum class Counter : std::uint8_t {
  kReads,          ///< of records: READs of current versions
  kTornReads,      ///< of these, those torn by a commit
  kReadThrough,    ///< of these, reads through a lock
  kOldReads,       ///< READs of old versions
  kSnapshots,      ///< READs of the vector
  kBucketReads,    ///< READs of hash buckets
  kClaims,         ///< of keys without an entry, by RPC
  kScanned,        ///< keys that scans listed, by RPC
  kOwnReads,       ///< of kReads, of the own machine's records by its CPU
  kMovesAwaited,   ///< records that waited for a move to overflow, by RPC
  kOverflowReads,  ///< READs of overflow
  kAllocations,    ///< rounds of calls that allocate extents
  kCatalogCalls,   ///< rounds of calls to the catalog
};

/// Describes a system; names of phases and counters are those of the enumerators, in order.
SystemInfo system_info(const std::string& name, const std::string& description,
                       const std::string& source, Isolation isolation);

}  // namespace verbena::txn::nam
