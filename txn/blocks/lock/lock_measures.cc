// Names of what is counted and timed.
#include "txn/blocks/lock/lock_measures.h"

namespace verbena::txn::blocks {

void add_lock_measures(SystemInfo& info) {
  info.isolation = Isolation::kLinearizableRegisters;
  info.phases = {"get", "put"};
  info.abort_causes = {"rolled_back", "locked", "replica_lost"};
  info.counters = {"round_trips", "locks",         "reads",         "writes",
                   "unlocks",     "locks_refused", "late_releases", "write_backs"};
  info.quorums = true;
  info.most_records = 1;
  info.single_step_updates = false;
}

}  // namespace verbena::txn::blocks
