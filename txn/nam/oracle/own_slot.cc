// WRITEs of a slot by who owns it.
#include "txn/nam/oracle/own_slot.h"

#include <cstring>

namespace verbena::txn::nam {

OwnSlot::OwnSlot(rdma::Worker& worker, const Layout& layout, std::uint32_t slot, bool await,
                 bool goes_on)
    : layout_(layout), slot_(slot), await_(await), batch_(worker.connections()) {
  if (goes_on) read_ = worker.allocate_scratch(kCountBytes);
}

Stamp OwnSlot::take() {
  if (!read_.empty()) {
    batch_.read(layout_.vector().address(slot_), read_.data(), sizeof count_);
    batch_.post();
    batch_.wait();
    std::memcpy(&count_, read_.data(), sizeof count_);
    read_ = {};
  }
  count_ = next_count(count_, slot_);
  return {.slot = slot_, .count = count_};
}

// No queue pair orders it behind what was installed elsewhere.
void OwnSlot::publish(const Stamp& stamp) {
  batch_.write(layout_.vector().address(slot_), &stamp.count, sizeof stamp.count);
  if (!await_) return batch_.post_passive();
  batch_.post();
  batch_.wait();
}

}  // namespace verbena::txn::nam
