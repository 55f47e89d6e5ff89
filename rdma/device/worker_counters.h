// Counters of a worker.
#pragma once

#include <cstdint>

namespace verbena::rdma {

/// Counts of a worker since it was created; the NIC's own counters come from the fabric.
struct WorkerCounters {
  std::uint64_t reads = 0, writes = 0, atomics = 0;  ///< one-sided requests posted
  std::uint64_t passive_writes = 0;                  ///< part of `writes` that nobody waits for
  std::uint64_t post_calls = 0;                      ///< doorbells of one-sided requests
  std::uint64_t signaled = 0;
  std::uint64_t send_queue_waits = 0;          ///< a fiber waited for room
  std::uint64_t calls = 0, notifications = 0;  ///< RPCs started, without those to the own node
  std::uint64_t datagrams = 0, datagram_post_calls = 0, datagrams_received = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t duplicates = 0;  ///< datagrams that had been received before
  std::uint64_t foreign = 0;     ///< datagrams dropped as malformed, stale or not for this worker
  std::uint64_t shortages = 0;   ///< requests dropped, or set aside, for want of a reply buffer
  std::uint64_t ring_waits = 0;  ///< messages that found the peer's ring or the send queue full
  std::uint64_t explicit_acks = 0;  ///< messages sent only to acknowledge
  std::uint64_t fiber_switches = 0, turns = 0;

  WorkerCounters& operator+=(const WorkerCounters& other);
};

}  // namespace verbena::rdma
