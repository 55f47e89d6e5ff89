// Names of what is counted and timed.
#include "txn/kv/measures.h"

namespace verbena::txn::kv {

void add_measures(SystemInfo& info) {
  info.isolation = Isolation::kLinearizableRegisters;
  info.phases = {"look_up", "install"};
  info.abort_causes = {"rolled_back", "conflict", "no_buffer"};
  info.counters = {"slot_reads", "rereads", "overwritten_at_once", "buffers_back"};
  info.replicates = false;
  info.most_records = 1;
}

}  // namespace verbena::txn::kv
