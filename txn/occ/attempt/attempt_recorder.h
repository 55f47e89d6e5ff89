// Recorder of each attempt: the times of its phases, its outcome, and its history.
#pragma once

#include <optional>
#include <vector>

#include "rdma/base/time.h"
#include "txn/check/history.h"
#include "txn/occ/attempt/attempt.h"

namespace verbena::txn::occ {

/// Ends of the phases of an attempt that committed.
struct PhaseTimes {
  Nanoseconds executed = 0;
  Nanoseconds reading = 0;  ///< part of execution spent on remote records
  Nanoseconds validated = 0;
  Nanoseconds logged = 0;  ///< its commit point
};

/// Records one attempt after the other. Belongs to the transaction's fiber.
class AttemptRecorder {
 public:
  explicit AttemptRecorder(Attempt& attempt) : attempt_(attempt) {}

  void begin();

  /// Records the phases of a committed attempt, which ends now; `any_written`: it had the phases
  /// log and commit.
  void record_phases(const PhaseTimes& times, bool any_written);

  /// Records how an attempt ended; it committed if `cause` is empty.
  void record_outcome(std::optional<AbortCause> cause, Nanoseconds decided_at);

 private:
  void record_history(bool committed, Nanoseconds decided_at);

  Attempt& attempt_;
  Nanoseconds began_at_ = 0;
  Nanoseconds turn_began_ = 0;  // the turn of the event loop in which the attempt began
  std::vector<HistoryAccess> history_accesses_;
};

}  // namespace verbena::txn::occ
