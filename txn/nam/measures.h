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
  /// Rounds of READs of hash buckets, scans, and claims of keys with the locking meanwhile, where
  /// there were any; not in kRead and kLock.
  kIndex,
  kRead,
  kLock,
  kLog,  ///< writing the journal; nothing where none is kept
  kInstall,
  kPublish,
};

/// Why an attempt did not commit.
struct Abort {
  /// A record to be written had another version, which its snapshot does not hold, when it was read
  /// or locked.
  static constexpr AbortCause kStaleSnapshot{0};
  /// A record to be written was locked when it was read or locked.
  static constexpr AbortCause kLocked{1};
  /// The version that its snapshot holds is not kept any more.
  static constexpr AbortCause kSnapshotTooOld{2};
  /// A key that was in no entry, and was to be inserted, had got one meanwhile.
  static constexpr AbortCause kKeyTaken{3};
  /// The application asked for it; not retried.
  static constexpr AbortCause kRolledBack{4};
  /// There was no room in overflow for the version whose place its own would have needed.
  static constexpr AbortCause kOverflowFull{5};
};

/// Durations that are of no phase.
enum class Time : std::uint8_t {
  kSnapshotAge,  ///< from when its vector began to be read until a transaction goes by it
};

enum class Counter : std::uint8_t {
  kReads,          ///< of records: READs of current versions
  kTornReads,      ///< of these, those that a commit was in the midst of
  kReadThrough,    ///< of these, records that were locked and read all the same
  kOldReads,       ///< READs of old versions
  kSnapshots,      ///< READs of the vector
  kBucketReads,    ///< READs of hash buckets
  kClaims,         ///< of keys that were in no entry, by RPC
  kScanned,        ///< keys that scans listed, by RPC
  kOwnReads,       ///< of kReads, those of the own machine's records, by its CPU
  kMovesAwaited,   ///< records whose old versions had to be moved to overflow first, by RPC
  kOverflowReads,  ///< READs in overflow
  kAllocations,    ///< of extents, by RPC: rounds of calls
  kCatalogCalls,   ///< likewise, of the catalog
};

/// Its names are those of the enumerators above, in their order.
SystemInfo system_info(const std::string& name, const std::string& description,
                       const std::string& source, Isolation isolation);

}  // namespace verbena::txn::nam
