// State of an attempt of a transaction: active or not, doomed or able to commit.
#pragma once

#include <cassert>
#include <optional>

#include "txn/metrics.h"

namespace verbena::txn {

/// An attempt is active from its begin to its end; it is doomed once there is a cause for which it
/// will not commit. Belongs to the transaction's fiber; a system whose transactions are of several
/// parts hands it to them.
class AttemptStatus {
 public:
  /// The attempt before must have ended.
  void begin() {
    assert(!active_);
    cause_.reset();
    active_ = true;
  }
  void end() {
    assert(active_);
    active_ = false;
  }

  /// The attempt will not commit; the first cause counts.
  void doom(AbortCause cause) {
    assert(active_);
    if (!cause_) cause_ = cause;
  }

  bool active() const { return active_; }
  bool doomed() const { return cause_.has_value(); }
  /// Cause of the doom, also of an attempt that has ended; nothing if it is not doomed.
  std::optional<AbortCause> cause() const { return cause_; }

 private:
  std::optional<AbortCause> cause_;
  bool active_ = false;
};

}  // namespace verbena::txn
