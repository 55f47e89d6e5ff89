// Counters of operations of ABDLOCK.
#pragma once

#include "txn/prism/measures.h"
#include "txn/system_info.h"

namespace verbena::txn::blocks {

/// Causes of attempts that do not commit, besides prism::Abort.
struct LockAbort {
  /// Others hold too many of the locks.
  static constexpr AbortCause kLocked{1};
  /// A replica whose lock was held has died, before anything was written.
  static constexpr AbortCause kReplicaLost{2};
};

/// Things that ABDLOCK counts.
struct LockCounter {
  /// Times that an operation waited for replicas.
  static constexpr prism::Counter kRoundTrips{0};
  /// Requests: a compare-and-swap that asks for a lock, a READ, a WRITE, a compare-and-swap that
  /// gives a lock back.
  static constexpr prism::Counter kLocks{1};
  static constexpr prism::Counter kReads{2};
  static constexpr prism::Counter kWrites{3};
  static constexpr prism::Counter kUnlocks{4};
  /// Locks that another held.
  static constexpr prism::Counter kRefused{5};
  /// Locks that came when they were not needed any more.
  static constexpr prism::Counter kLateLocks{6};
  /// GETs that wrote back what they had read.
  static constexpr prism::Counter kWriteBacks{7};
};

/// Fills in the names of these, and what the system promises.
void add_lock_measures(SystemInfo& info);

}  // namespace verbena::txn::blocks
