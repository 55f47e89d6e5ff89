// Stations that several stages use: what each takes.
#include "simnic/nic/stations.h"

#include <algorithm>

#include "rdma/base/cache_line.h"
#include "simnic/nic/packets_of_message.h"

namespace verbena::simnic {
namespace {

// Short beside what a call of it takes.
[[gnu::always_inline]] inline void enter(Server& server, Picoseconds now, Picoseconds service,
                                         Picoseconds& wait) {
  wait = std::max(wait, server.enter(now, service));
}

}  // namespace

Picoseconds Stations::spread_packets(const Nic& nic, std::int64_t bytes, Picoseconds& spread) {
  const NicProfile& p = nic.machine.nic;
  const Picoseconds before = spread;
  pass_packets(processing_time(p, bytes), {.bytes = bytes, .mtu = p.path_mtu}, spread);
  if (observed_) [[unlikely]]
    observation_.delay(Station::kUnits, nic, spread - before);
  return spread - before;
}

void Stations::bring_in(Nic& nic, QueuePair& qp, SplitMix& random) {
  const QueuePairCache::Place place = nic.qp_cache.bring_in(qp.qp_num, random);
  if (place.driven_out != QueuePairCache::kNowhere) {
    // The number may by now be that of a queue pair with another place, or of none.
    QueuePair* other = nic.find_queue_pair(place.driven_out);
    if (other != nullptr && other->cache_slot == place.slot) {
      other->cache_slot = QueuePairCache::kNowhere;
    }
  }
  qp.cache_slot = place.slot;
}

Picoseconds Stations::fetch_state(Nic& nic, QueuePair& qp, Picoseconds& service,
                                  Picoseconds& wait) {
  nic.count(Counter::kQpCacheMisses);
  bring_in(nic, qp, nic.random);
  service += nic.machine.nic.qp_miss_stall;
  enter(nic.qp_fetches, now(), nic.machine.qp_fetch_time, wait);
  if (observed_) [[unlikely]]
    observation_.state_fetch(nic);
  return dma_read(Station::kQueuePairState, nic, nic.machine.nic.qp_state_bytes, wait);
}

Picoseconds Stations::translation(Nic& nic, const Region& region, std::uint64_t address,
                                  std::uint64_t bytes, Picoseconds& service, Picoseconds& wait) {
  const std::uint32_t number = Nic::number_of_region(region.key);
  Picoseconds latency = 0;
  if (!nic.mpt_cache.access(number, 0, nic.random)) {
    nic.count(Counter::kMptCacheMisses);
    service += nic.machine.nic.mtt_miss_stall;
    latency = dma_read(Station::kTranslation, nic, kMptEntryBytes, wait);
  }
  const unsigned page_shift = nic.machine.page_shift;
  const std::uint64_t offset = region.offset_of(address);
  const std::uint64_t last = (offset + (bytes == 0 ? 0 : bytes - 1)) >> page_shift;
  bool missed = false;
  for (std::uint64_t i = offset >> page_shift; i <= last; ++i) {
    if (nic.mtt_cache.access(number, i, nic.random)) continue;
    nic.count(Counter::kMttCacheMisses);
    service += nic.machine.nic.mtt_miss_stall;
    // Entries of one request are fetched together.
    const Station station = missed ? Station::kTranslationBeside : Station::kTranslation;
    const Picoseconds read = dma_read(station, nic, kMttEntryBytes, wait);
    if (!missed) latency += read;
    missed = true;
  }
  return latency;
}

Picoseconds Stations::fetch_request_state(Nic& nic, Picoseconds& service, Picoseconds& wait) {
  nic.count(Counter::kWqeCacheMisses);
  service += nic.machine.nic.wqe_miss_stall;
  return dma_read(Station::kRequestState, nic, kWqeBytes, wait);
}

Picoseconds Stations::dma_read(Station station, Nic& nic, std::int64_t bytes, Picoseconds& wait) {
  Picoseconds spread = 0;
  return stream_read(station, nic, {.bytes = bytes, .mtu = bytes}, wait, spread);
}

Picoseconds Stations::stream_read(Station station, Nic& nic, MessageSize size, Picoseconds& wait,
                                  Picoseconds& spread) {
  const CpuProfile& p = nic.machine.cpu;
  const std::int64_t down = p.read_completion_bytes(size.bytes);
  const std::int64_t up = p.pcie_request_header;
  nic.count(Counter::kPcieReadBytes, static_cast<std::uint64_t>(up + down));
  const Picoseconds request = transfer_time(up, nic.machine.pcie_rate);
  enter(nic.pcie_to_host, now(), request, wait);
  const Picoseconds transfer = transfer_time(down, nic.machine.pcie_rate);
  enter(nic.pcie_from_host, now() - spread, transfer, wait);
  const Picoseconds latency = p.dma_read_latency + pass_packets(transfer, size, spread);
  if (observed_) [[unlikely]]
    observation_.dma(station, nic, request, transfer, latency);
  return latency;
}

void Stations::fetch_receive_request(Nic& nic, Picoseconds& wait) {
  constexpr std::int64_t kLine = kCacheLineBytes;
  const CpuProfile& p = nic.machine.cpu;
  const std::int64_t bytes = nic.machine.nic.recv_wqe_bytes;
  const std::int64_t down = bytes * (kLine + p.pcie_completion_header) / kLine;
  const std::int64_t up = bytes * p.pcie_request_header / kLine;
  nic.count(Counter::kPcieReadBytes, static_cast<std::uint64_t>(up + down));
  const Picoseconds request = transfer_time(up, nic.machine.pcie_rate);
  const Picoseconds transfer = transfer_time(down, nic.machine.pcie_rate);
  enter(nic.pcie_to_host, now(), request, wait);
  enter(nic.pcie_from_host, now(), transfer, wait);
  if (observed_) [[unlikely]] {
    observation_.dma(Station::kReceiveFetch, nic, request, transfer, 0);
  }
}

Picoseconds Stations::dma_write(Station station, Nic& nic, std::int64_t bytes, Picoseconds& wait) {
  Picoseconds spread = 0;
  return stream_write(station, nic, {.bytes = bytes, .mtu = bytes}, wait, spread);
}

Picoseconds Stations::stream_write(Station station, Nic& nic, MessageSize size, Picoseconds& wait,
                                   Picoseconds& spread) {
  const CpuProfile& p = nic.machine.cpu;
  const MessageSize writes{.bytes = size.bytes, .mtu = p.pcie_max_payload};
  const std::int64_t up = size.bytes + writes.packets() * p.pcie_request_header;
  nic.count(Counter::kPcieWriteBytes, static_cast<std::uint64_t>(up));
  const Picoseconds transfer = transfer_time(up, nic.machine.pcie_rate);
  // It has been at it since the first packet came.
  enter(nic.pcie_to_host, now() - spread, transfer, wait);
  const Picoseconds latency = p.dma_write_latency + pass_packets(transfer, size, spread);
  if (observed_) [[unlikely]]
    observation_.dma(station, nic, transfer, 0, latency);
  return latency;
}

}  // namespace verbena::simnic
