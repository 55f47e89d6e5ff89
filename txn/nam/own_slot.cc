// WRITEs of a slot by who owns it.
#include "txn/nam/own_slot.h"

namespace verbena::txn::nam {

// No queue pair orders it behind what was installed elsewhere.
void OwnSlot::publish(const Stamp& stamp) {
  batch_.write(layout_.vector(slot_), &stamp.count, sizeof stamp.count);
  if (!await_) return batch_.post_passive();
  batch_.post();
  batch_.wait();
}

}  // namespace verbena::txn::nam
