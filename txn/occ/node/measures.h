// Counters and times of optimistic concurrency control.
#pragma once

#include <cstddef>
#include <cstdint>

#include "txn/metrics.h"
#include "txn/plan/plan.h"
#include "txn/system_info.h"

namespace verbena::txn::occ {

/// Phases of a transaction, as the DrTM+H paper names them (figure 1; breakdown in figure 15).
enum class Phase : std::uint8_t { kExecute, kValidate, kLog, kCommit };

/// Causes of attempts that do not commit.
struct Abort {
  /// A record of the write set was locked by another transaction.
  static constexpr AbortCause kLockConflict{0};
  /// A record changed between its read and validation.
  static constexpr AbortCause kValidationFailed{1};
  /// A record was locked when it was read or validated.
  static constexpr AbortCause kReadLocked{2};
  /// A read raced with a writer: its cache lines carried different versions.
  static constexpr AbortCause kTornRead{3};
  /// The application asked for it (insufficient funds); not retried.
  static constexpr AbortCause kRolledBack{4};
};

/// Counts other than commits and aborts.
enum class Counter : std::uint8_t {
  kCacheHits,       ///< records whose location the cache knew
  kCacheMisses,     ///< records whose location had to be asked for
  kOneSidedReads,   ///< records fetched by READ
  kRpcReads,        ///< records fetched by RPC
  kLocalReads,      ///< records read from the node's own partition
  kLogRecords,      ///< log records written to backups
  kLogBytes,        ///< bytes of log records
  kLogWaits,        ///< times that a fiber waited for space in a log ring
  kLogReclaims,     ///< notices to backups that log space may be applied and reused
  kAppliedUpdates,  ///< updates that this node applied as a backup
};

/// Describes the system that runs `plan`; names of phases and counters are those of the
/// enumerators, in order.
SystemInfo system_info(const Plan& plan);

}  // namespace verbena::txn::occ
