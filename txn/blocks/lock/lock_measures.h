// Counters of operations of ABDLOCK.
#pragma once

#include "txn/prism/measures.h"
#include "txn/system_info.h"

namespace verbena::txn::blocks {

/// Causes of attempts that do not commit, in addition to prism::Abort.
struct LockAbort {
  /// Other clients held too many of the locks.
  static constexpr AbortCause kLocked{1};
  /// A replica with a lock of the attempt died before anything was written.
  static constexpr AbortCause kReplicaLost{2};
};

/// Counters of ABDLOCK.
struct LockCounter {
  /// Times that an operation waited for replicas.
  static constexpr prism::Counter kRoundTrips{0};
  /// Requests: compare-and-swaps that take a lock, READs, WRITEs, compare-and-swaps that release a
  /// lock.
  static constexpr prism::Counter kLocks{1};
  static constexpr prism::Counter kReads{2};
  static constexpr prism::Counter kWrites{3};
  static constexpr prism::Counter kUnlocks{4};
  /// Locks that another client held.
  static constexpr prism::Counter kRefused{5};
  /// Locks that were taken after they were needed.
  static constexpr prism::Counter kLateLocks{6};
  /// GETs that wrote back their result.
  static constexpr prism::Counter kWriteBacks{7};
};

/// Fills in the names of counters and causes, and the system's promises.
void add_lock_measures(SystemInfo& info);

}  // namespace verbena::txn::blocks
