// Counters of the counter server: the commit timestamps given and those finished.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/base/spin_lock.h"
#include "rdma/seam/core.h"
#include "rdma/seam/shared_line.h"
#include "txn/stamp.h"
#include "txn/store/record.h"
#include "txn/unbroken_run.h"

namespace verbena::txn::si2pc {

/// Gives timestamps to commits in order; commits finish in any order. A snapshot holds the unbroken
/// run of finished ones, so it never holds half a commit (NAM-DB paper, section 4.1). Each
/// timestamp must be finished, even if nothing commits with it, or snapshots never advance again.
/// Thread-safe. `core`, here and below: the caller's.
class Timestamps {
 public:
  /// Timestamp of loaded data, which all snapshots hold.
  static constexpr std::uint64_t kLoaded = kInitialVersion;

  /// Stamp of a commit for histories of clients: one writer, in slot 1, counted from the loaded
  /// data.
  static constexpr Stamp stamp(std::uint64_t timestamp) {
    return {.slot = 1, .count = static_cast<std::uint32_t>(timestamp - kLoaded)};
  }

  /// Returns the count of the commit after `given` others. Throws std::runtime_error instead of
  /// wrapping around: versions have 32 bits for it.
  static std::uint32_t count_after(std::uint32_t given);

  /// Returns the last of the unbroken run of finished commits. Never goes back.
  std::uint64_t snapshot(rdma::Core& core);

  /// Returns a commit's timestamp, greater than all before. Throws as count_after does.
  std::uint64_t next(rdma::Core& core);

  /// Finishes a timestamp. To be called once for each; throws Malformed for one that was not given
  /// or is already finished.
  void finish(std::uint64_t timestamp, rdma::Core& core);

  /// Number of timestamps not finished, and of those finished behind the first of them.
  std::size_t pending() const { return given_ - finished_.end(); }

 private:
  // Locks the counters; their cache line moves with the lock.
  void lock(rdma::Core& core);

  SpinLock changing_;
  rdma::SharedLine line_;  // of the lock
  std::uint32_t given_ = 0;
  UnbrokenRun finished_;  // counted from the loaded data, as they are given
};

}  // namespace verbena::txn::si2pc
