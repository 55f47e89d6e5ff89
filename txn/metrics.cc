// Names and merging of metrics.
#include "txn/metrics.h"

namespace verbena::txn {

const char* phase_name(Phase phase) {
  switch (phase) {
    case Phase::kExecute:
      return "execute";
    case Phase::kValidate:
      return "validate";
    case Phase::kLog:
      return "log";
    case Phase::kCommit:
      return "commit";
    case Phase::kCount:
      break;
  }
  return "unknown";
}

const char* abort_cause_name(AbortCause cause) {
  switch (cause) {
    case AbortCause::kLockConflict:
      return "lock_conflict";
    case AbortCause::kValidationFailed:
      return "validation_failed";
    case AbortCause::kReadLocked:
      return "read_locked";
    case AbortCause::kTornRead:
      return "torn_read";
    case AbortCause::kRolledBack:
      return "rolled_back";
    case AbortCause::kCount:
      break;
  }
  return "unknown";
}

const char* counter_name(Counter counter) {
  switch (counter) {
    case Counter::kCacheHits:
      return "cache_hits";
    case Counter::kCacheMisses:
      return "cache_misses";
    case Counter::kOneSidedReads:
      return "one_sided_reads";
    case Counter::kRpcReads:
      return "rpc_reads";
    case Counter::kLocalReads:
      return "local_reads";
    case Counter::kLogRecords:
      return "log_records";
    case Counter::kLogBytes:
      return "log_bytes";
    case Counter::kLogWaits:
      return "log_waits";
    case Counter::kLogReclaims:
      return "log_reclaims";
    case Counter::kAppliedUpdates:
      return "applied_updates";
    case Counter::kCount:
      break;
  }
  return "unknown";
}

void Metrics::merge(const Metrics& other) {
  committed += other.committed;
  for (std::size_t i = 0; i < kAbortCauses; ++i) aborted[i] += other.aborted[i];
  for (std::size_t i = 0; i < kCounters; ++i) counters[i] += other.counters[i];
  latency.merge(other.latency);
  for (std::size_t i = 0; i < kPhases; ++i) phases[i].merge(other.phases[i]);
  for (std::size_t i = 0; i < kPhases; ++i) served[i].merge(other.served[i]);
}

}  // namespace verbena::txn
