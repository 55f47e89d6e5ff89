// Names of what is counted and timed.
#include "txn/occ/node/measures.h"

namespace verbena::txn::occ {

SystemInfo system_info(const Plan& plan) {
  return {.name = plan.name,
          .description = plan.description,
          .source = plan.source,
          .isolation = Isolation::kStrictSerializability,
          .phases = {"execute", "validate", "log", "commit"},
          .phases_after_decision = {"commit"},
          .abort_causes = {"lock_conflict", "validation_failed", "read_locked", "torn_read",
                           "rolled_back"},
          .counters = {"cache_hits", "cache_misses", "one_sided_reads", "rpc_reads", "local_reads",
                       "log_records", "log_bytes", "log_waits", "log_reclaims", "applied_updates"},
          .scans = true,
          .inserts = true};
}

}  // namespace verbena::txn::occ
