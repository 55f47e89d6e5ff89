// Names of what is counted and timed.
#include "txn/blocks/rs/rs_measures.h"

namespace verbena::txn::blocks {

void add_rs_measures(SystemInfo& info) {
  info.isolation = Isolation::kLinearizableRegisters;
  info.phases = {"read", "write"};
  info.abort_causes = {"rolled_back"};
  info.counters = {"read_phases", "write_phases", "write_backs",     "reads",
                   "chains",      "not_swapped",  "no_free_buffers", "buffers_back"};
  info.quorums = true;
  info.most_records = 1;
  info.single_step_updates = false;
}

}  // namespace verbena::txn::blocks
