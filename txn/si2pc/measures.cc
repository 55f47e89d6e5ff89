// Names of what is counted and timed.
#include "txn/si2pc/measures.h"

namespace verbena::txn::si2pc {

SystemInfo system_info(const std::string& name, const std::string& description,
                       const std::string& source) {
  SystemInfo info;
  info.name = name;
  info.description = description;
  info.source = source;
  info.isolation = Isolation::kSnapshotIsolation;
  info.exact_scans = true;
  info.phases = {"timestamp", "read", "prepare", "commit_timestamp", "commit"};
  info.abort_causes = {"stale_snapshot", "locked", "snapshot_too_old", "rolled_back"};
  info.counters = {"reads",        "reads_through_locks", "old_version_reads",
                   "scanned_keys", "snapshot_waits",      "participants"};
  info.scans = true;
  info.inserts = true;
  info.replicates = false;
  return info;
}

}  // namespace verbena::txn::si2pc
