// Stations that several stages of a request use: PCIe, the NIC's caches.
#pragma once

#include <cstdint>

#include "simnic/nic/event_handler.h"
#include "simnic/nic/packets_of_message.h"

namespace verbena::simnic {

/// Enters stations of a NIC. Functions return the latency that a request takes there, and raise
/// `wait` to the delay of the longest queue met; those that look up a cache add to `service`, the
/// time of the processing unit.
class Stations : private EventHandler {
 public:
  explicit Stations(const EventContext& context) : EventHandler(context) {}

  /// Time that a processing unit spends on `bytes` of payload, beyond the message itself.
  static Picoseconds processing_time(const NicProfile& p, std::int64_t bytes) {
    const Picoseconds time = transfer_time(bytes, p.processing_rate);
    if (bytes <= p.processing_chunk) [[likely]]
      return time;
    return time + (bytes - 1) / p.processing_chunk * p.processing_chunk_time;
  }

  /// Lets the packets of a message pass a processing unit, which is busy for processing_time;
  /// returns what that adds to the last one's way beside what stations before it did; see
  /// pass_packets.
  Picoseconds spread_by_unit(const Nic& nic, std::int64_t bytes, Picoseconds& spread) {
    if (bytes <= nic.machine.nic.path_mtu) [[likely]]
      return 0;
    return spread_packets(nic, bytes, spread);
  }

  /// Brings the state of `qp` into the NIC's cache, where it is not.
  static void bring_in(Nic& nic, QueuePair& qp, SplitMix& random);
  Picoseconds queue_pair_state(Nic& nic, QueuePair& qp, Picoseconds& service, Picoseconds& wait) {
    if (qp.cache_slot == QueuePairCache::kNowhere) return fetch_state(nic, qp, service, wait);
    nic.count(Counter::kQpCacheHits);
    return 0;
  }
  Picoseconds translation(Nic& nic, const Region& region, std::uint64_t address,
                          std::uint64_t bytes, Picoseconds& service, Picoseconds& wait);
  Picoseconds request_state(Nic& nic, const Request& request, Picoseconds& service,
                            Picoseconds& wait) {
    if (nic.request_cache.has(request.kept_as)) [[likely]]
      return 0;
    return fetch_request_state(nic, service, wait);
  }

  Picoseconds dma_read(Station station, Nic& nic, std::int64_t bytes, Picoseconds& wait);
  Picoseconds dma_write(Station station, Nic& nic, std::int64_t bytes, Picoseconds& wait);
  /// Moves the data of a message, since its first packet came; see pass_packets.
  Picoseconds stream_read(Station station, Nic& nic, MessageSize size, Picoseconds& wait,
                          Picoseconds& spread);
  Picoseconds stream_write(Station station, Nic& nic, MessageSize size, Picoseconds& wait,
                           Picoseconds& spread);
  /// Fetches a receive request. They come ahead, one cache line of them at a time, so this costs
  /// bytes and no time.
  void fetch_receive_request(Nic& nic, Picoseconds& wait);

 private:
  Picoseconds spread_packets(const Nic& nic, std::int64_t bytes, Picoseconds& spread);
  /// Fetches the state of a queue pair, or of a request, which is not in the NIC's cache.
  Picoseconds fetch_state(Nic& nic, QueuePair& qp, Picoseconds& service, Picoseconds& wait);
  Picoseconds fetch_request_state(Nic& nic, Picoseconds& service, Picoseconds& wait);
};

}  // namespace verbena::simnic
