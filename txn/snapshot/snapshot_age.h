// Age of an attempt's snapshot, and whether the attempt may still use it.
#pragma once

#include <utility>

#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/snapshot/age_limit.h"

namespace verbena::txn {

/// Tracks one snapshot at a time, of any kind; an attempt begins with none. Belongs to the
/// transaction's fiber.
class SnapshotAge {
 public:
  /// `longest`: greatest age of a snapshot that an attempt uses; kNever: no limit.
  SnapshotAge(rdma::Worker& worker, AgeLimit::Setting longest)
      : worker_(worker), limit_(std::move(longest)) {}

  /// Forgets the snapshot.
  void forget() { taken_ = false; }
  /// Notes a snapshot whose taking began at `began_at`.
  void take(Nanoseconds began_at) {
    began_at_ = began_at;
    taken_ = true;
  }

  bool taken() const { return taken_; }
  Nanoseconds began_at() const { return began_at_; }
  /// Greatest age at which a snapshot is of use; kNever: no limit.
  Nanoseconds longest() const { return limit_.setting().value; }
  /// Returns false if the snapshot is too old: servers may have forgotten versions in it.
  bool usable() { return limit_.allows(began_at_, worker_.now()); }

  /// Ends an attempt, see AgeLimit.
  void attempt_ended(bool over, Nanoseconds now) { limit_.attempt_ended(over, now); }

 private:
  rdma::Worker& worker_;
  AgeLimit limit_;
  bool taken_ = false;
  Nanoseconds began_at_ = 0;
};

}  // namespace verbena::txn
