// Metrics and history of attempts.
#include "txn/occ/attempt/attempt_recorder.h"

#include "txn/store/lock_word.h"

namespace verbena::txn::occ {

void AttemptRecorder::begin() {
  began_at_ = attempt_.worker().now();
  turn_began_ = attempt_.worker().turn_began();
}

void AttemptRecorder::record_phases(const PhaseTimes& times, bool any_written) {
  Measurements& measurements = attempt_.measurements();
  if (!measurements.measured(times.logged)) return;
  const bool reads_only = attempt_.node().options().execution_is_remote_reads;
  measurements.record(Phase::kExecute, reads_only ? times.reading : times.executed - began_at_);
  measurements.record(Phase::kValidate, times.validated - times.executed);
  if (!any_written) return;
  measurements.record(Phase::kLog, times.logged - times.validated);
  measurements.record(Phase::kCommit, attempt_.worker().now() - times.logged);
}

void AttemptRecorder::record_outcome(std::optional<AbortCause> cause, Nanoseconds decided_at) {
  Measurements& measurements = attempt_.measurements();
  if (measurements.history() != nullptr) record_history(!cause, decided_at);
  measurements.decide(decided_at, cause);
}

void AttemptRecorder::record_history(bool committed, Nanoseconds decided_at) {
  history_accesses_.clear();
  for (const Access& access : attempt_.accesses()) {
    if (access.entry() == Access::kNowhere) continue;
    history_accesses_.push_back(
        {.record = access.name(),
         .entry = access.entry(),
         .read_absent = !access.found(),
         .read_version = change_count(access.version()),
         .written_version = access.written() ? change_count(access.new_version()) : 0});
  }
  attempt_.measurements().history()->add({.owner = LockOwner::of(attempt_.lock_word()),
                                          .sequence = attempt_.sequence(),
                                          .committed = committed,
                                          .begin = turn_began_,
                                          .end = decided_at},
                                         history_accesses_);
}

}  // namespace verbena::txn::occ
