// Sums over nodes, and their differences.
#include "workloads/run/resources/nic_interval.h"

namespace verbena::workloads {

NicInterval::Counters NicInterval::total() const {
  Counters sum;
  for (const NodeId node : fabric_.hosted()) {
    for (const auto& [name, count] : fabric_.counters(node)) sum[name] += count;
  }
  return sum;
}

NicInterval::Counters NicInterval::counters() const {
  Counters difference = end_ ? *end_ : total();
  for (auto& [name, count] : difference) {
    if (!begin_) {
      count = 0;
    } else if (const auto before = begin_->find(name); before != begin_->end()) {
      count -= before->second;
    }
  }
  return difference;
}

Utilization NicInterval::utilization(std::span<const txn::Role> roles) const {
  if (!begin_) {
    const rdma::FabricUse use = fabric_.use();
    return {.links_down = links_down(use, use, use.time)};
  }
  // One that waited for an answer observes late, of an outage that lost this a time-out later.
  const rdma::FabricUse end = end_ ? end_use_ : fabric_.use();
  Utilization utilization = utilization_between(fabric_, begin_use_, end, roles);
  const bool late = to_nanoseconds(end.time - begin_use_.time) > length_;
  utilization.links_down =
      links_down(begin_use_, end, late ? begin_use_.time + to_picoseconds(length_) : end.time);
  return utilization;
}

void reach_points(const NicInterval::Counters& counters, ReachedPoints& reached) {
  for (const auto& [name, count] : counters) {
    if (count > 0) reached.add("nic: " + name);
  }
}

}  // namespace verbena::workloads
