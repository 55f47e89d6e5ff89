// Names of what is counted and timed.
#include "txn/prism_tx/attempt/measures.h"

namespace verbena::txn::prism_tx {

void add_measures(SystemInfo& info) {
  info.isolation = Isolation::kSerializability;
  info.ordered_by_timestamps = true;
  info.phases = {"execute", "validate_reads", "validate_writes", "install"};
  info.abort_causes = {"rolled_back", "read_overtaken", "write_overtaken", "read_later",
                       "no_buffer"};
  info.counters = {"round_trips",
                   "slot_reads",
                   "claims",
                   "read_validations",
                   "write_validations",
                   "update_validations",
                   "installs",
                   "overwritten_at_once",
                   "undone",
                   "resolved",
                   "waits",
                   "no_free_buffers",
                   "buffers_back"};
  info.replicates = false;
  info.inserts = true;
}

}  // namespace verbena::txn::prism_tx
