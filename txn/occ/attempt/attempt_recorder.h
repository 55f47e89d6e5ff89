// Recorder of each attempt: the times of its phases, its outcome, and its history.
#pragma once

#include <optional>
#include <vector>

#include "rdma/base/time.h"
#include "txn/check/history.h"
#include "txn/occ/attempt/attempt.h"

namespace verbena::txn::occ {

/// When an attempt that committed was done with its phases.
struct PhaseTimes {
  Nanoseconds executed = 0;
  Nanoseconds reading = 0;  ///< how much of execution went by with remote records
  Nanoseconds validated = 0;
  Nanoseconds logged = 0;  ///< its commit point
};

/// Recorder of one attempt after the other. Belongs to the transaction's fiber.
class AttemptRecorder {
 public:
  explicit AttemptRecorder(Attempt& attempt) : attempt_(attempt) {}

  void begin();

  /// Records phases of an attempt that has committed, and is written back now if it has written
  /// anything.
  void record_phases(const PhaseTimes& times, bool any_written);

  /// Records how an attempt ended; without `cause` it has committed.
  void record_outcome(std::optional<AbortCause> cause, Nanoseconds decided_at);

 private:
  void record_history(bool committed, Nanoseconds decided_at);

  Attempt& attempt_;
  Nanoseconds began_at_ = 0;
  Nanoseconds turn_began_ = 0;  // the turn of the event loop in which the attempt began
  std::vector<HistoryAccess> history_accesses_;
};

}  // namespace verbena::txn::occ
