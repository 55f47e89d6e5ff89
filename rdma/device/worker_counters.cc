// Sums of counters.
#include "rdma/device/worker_counters.h"

namespace verbena::rdma {

WorkerCounters& WorkerCounters::operator+=(const WorkerCounters& other) {
  reads += other.reads;
  writes += other.writes;
  atomics += other.atomics;
  passive_writes += other.passive_writes;
  post_calls += other.post_calls;
  signaled += other.signaled;
  send_queue_waits += other.send_queue_waits;
  calls += other.calls;
  notifications += other.notifications;
  datagrams += other.datagrams;
  datagram_post_calls += other.datagram_post_calls;
  datagrams_received += other.datagrams_received;
  retransmissions += other.retransmissions;
  duplicates += other.duplicates;
  foreign += other.foreign;
  shortages += other.shortages;
  ring_waits += other.ring_waits;
  explicit_acks += other.explicit_acks;
  fiber_switches += other.fiber_switches;
  turns += other.turns;
  return *this;
}

}  // namespace verbena::rdma
