// Since when an attempt goes by its snapshot, and whether it may still.
#pragma once

#include <utility>

#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/snapshot/age_limit.h"

namespace verbena::txn {

/// One snapshot at a time, whatever it is; an attempt begins with none. Belongs to the
/// transaction's fiber.
class SnapshotAge {
 public:
  /// `longest`: no attempt goes by a snapshot that is older; kNever: none gets too old.
  SnapshotAge(rdma::Worker& worker, AgeLimit::Setting longest)
      : worker_(worker), limit_(std::move(longest)) {}

  /// There is none.
  void forget() { taken_ = false; }
  /// There is one, which began to be taken at that time.
  void take(Nanoseconds began_at) {
    began_at_ = began_at;
    taken_ = true;
  }

  bool taken() const { return taken_; }
  Nanoseconds began_at() const { return began_at_; }
  /// For how long one is of use; kNever: always.
  Nanoseconds longest() const { return limit_.setting().value; }
  /// False: it is too old by now. What servers have forgotten since may be in it.
  bool usable() { return limit_.allows(began_at_, worker_.now()); }

  /// See AgeLimit.
  void attempt_ended(bool over, Nanoseconds now) { limit_.attempt_ended(over, now); }

 private:
  rdma::Worker& worker_;
  AgeLimit limit_;
  bool taken_ = false;
  Nanoseconds began_at_ = 0;
};

}  // namespace verbena::txn
