// Names of what is counted and timed.
#include "txn/nam/measures.h"

namespace verbena::txn::nam {

SystemInfo system_info(const std::string& name, const std::string& description,
                       const std::string& source, Isolation isolation) {
  return {.name = name,
          .description = description,
          .source = source,
          .isolation = isolation,
          .exact_scans = true,
          .phases = {"timestamp", "index", "read", "lock", "log", "install", "publish"},
          .abort_causes = {"stale_snapshot", "locked", "snapshot_too_old", "key_taken",
                           "rolled_back", "overflow_full"},
          .counters = {"reads", "torn_reads", "reads_through_locks", "old_version_reads",
                       "snapshot_reads", "bucket_reads", "claims", "scanned_keys", "own_reads",
                       "moves_awaited", "overflow_reads", "allocations", "catalog_calls"},
          .times = {"snapshot_age"},
          .scans = true,
          .inserts = true,
          .draws = true,
          .replicates = false};
}

}  // namespace verbena::txn::nam
