// The counter server's counters: which commits there are, and up to which all are finished.
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

/// Commits get timestamps one after the other, and are finished in any order. A snapshot holds the
/// unbroken run of finished ones, so it never holds half a commit (NAM-DB paper, section 4.1). Each
/// that was given has to be finished, also when nothing is committed with it: else snapshots stand
/// still for ever. Thread-safe. `core`, here and below: the one that this runs on.
class Timestamps {
 public:
  /// Timestamp of what was loaded; all snapshots hold it.
  static constexpr std::uint64_t kLoaded = kInitialVersion;

  /// As histories of clients have it: commits are those of one writer, in slot 1, and counted from
  /// what was loaded.
  static constexpr Stamp stamp(std::uint64_t timestamp) {
    return {.slot = 1, .count = static_cast<std::uint32_t>(timestamp - kLoaded)};
  }

  /// The count of the commit after `given` others. Versions have 32 bits for it: throws
  /// std::runtime_error rather than begin again.
  static std::uint32_t count_after(std::uint32_t given);

  /// The last of the unbroken run of finished commits. Never goes back.
  std::uint64_t snapshot(rdma::Core& core);

  /// For a commit; greater than all before. Throws as count_after.
  std::uint64_t next(rdma::Core& core);

  /// To be called once of each; throws Malformed for one that was not given, or again.
  void finish(std::uint64_t timestamp, rdma::Core& core);

  /// Timestamps that were given and are not finished, and those finished behind the first of them.
  std::size_t pending() const { return given_ - finished_.end(); }

 private:
  // Changes hands with what it guards.
  void lock(rdma::Core& core);

  SpinLock changing_;
  rdma::SharedLine line_;  // of the lock
  std::uint32_t given_ = 0;
  UnbrokenRun finished_;  // counted from what was loaded, as they are given
};

}  // namespace verbena::txn::si2pc
