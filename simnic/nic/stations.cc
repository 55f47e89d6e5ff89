// Stations that several stages use: port and links, PCIe, caches.
#include <algorithm>
#include <string>

#include "rdma/base/cache_line.h"
#include "simnic/nic/cluster.h"

namespace verbena::simnic {
namespace {

// Short beside what a call of it takes.
[[gnu::always_inline]] inline void enter(Server& server, Picoseconds now, Picoseconds service,
                                         Picoseconds& wait) {
  wait = std::max(wait, server.enter(now, service));
}

}  // namespace

// The port of a NIC to which the network may bring more than it receives ends the way to it, as a
// link does.
std::uint32_t Cluster::port_link(Nic& nic) {
  if (nic.port_link == Nic::kNoLink) {
    nic.port_link = static_cast<std::uint32_t>(topology_->links.size());
    topology_->links.push_back({.server = {}, .rate = nic.machine.ports_rate});
    topology_->link_names.push_back("port-" + std::to_string(nic.number));
    if (observation_.on())
      observation_.observer()->name_link(nic.port_link, topology_->link_names.back());
  }
  return nic.port_link;
}

std::uint32_t Cluster::new_path(const Nic& from, Nic& to) {
  Route route = topology_->route(from.number, to.number);
  const bool cable_is_faster =
      !route.links.empty() && topology_->links[route.links.back()].rate < to.machine.ports_rate;
  if (!route.own_cable || cable_is_faster) route.links.push_back(port_link(to));
  const auto latency = static_cast<std::uint64_t>(route.latency.count());
  const auto place = static_cast<std::uint32_t>(routes_.size());
  routes_.insert(routes_.end(),
                 {static_cast<std::uint32_t>(latency), static_cast<std::uint32_t>(latency >> 32),
                  static_cast<std::uint32_t>(route.links.size())});
  routes_.insert(routes_.end(), route.links.begin(), route.links.end());
  return path_of_[from.number * nic_count_ + to.number] = place + 1;
}

void Cluster::forget_ways() {
  std::fill_n(path_of_.get(), nic_count_ * nic_count_, 0);
  routes_.clear();
}

Picoseconds Cluster::transmit(Nic& from, Nic& to, std::int64_t header, std::int64_t extra,
                              std::int64_t bytes, Picoseconds& wait, Picoseconds* until_port) {
  if (&from == &to) {
    if (observation_.on()) [[unlikely]] {
      observation_.delay(Station::kLoopback, from, fabric_.loopback_latency);
    }
    return fabric_.loopback_latency;
  }
  const NicProfile& p = from.machine.nic;
  const std::int64_t mtu = p.path_mtu;
  const std::int64_t packets = bytes <= mtu ? 1 : (bytes + mtu - 1) / mtu;
  const std::int64_t on_wire = packets * (header + p.packet_framing) + extra + bytes;
  from.count(Counter::kWireBytes, static_cast<std::uint64_t>(on_wire));
  from.count(Counter::kWirePackets, static_cast<std::uint64_t>(packets));
  const Picoseconds serialization = transfer_time(on_wire, p.port_rate);
  enter(from.port, now(), transfer_time(on_wire, from.machine.ports_rate), wait);
  if (until_port != nullptr) *until_port = wait;
  std::uint32_t place = path_of_[from.number * nic_count_ + to.number];
  if (place == 0) place = new_path(from, to);
  const Path way{&routes_[place - 1]};
  const std::uint32_t* const links = way.links();
  const std::uint32_t count = way.count();
  Link* const all_links = topology_->links.data();
  // Packets are cut through: behind the slowest link only the queues count.
  Picoseconds slowest = serialization;
  for (std::uint32_t i = 0; i < count; ++i) {
    Link& link = all_links[links[i]];
    if (!link.up) return kNeverPs;
    if (link.rate == 0) continue;
    const Picoseconds service = transfer_time(on_wire, link.rate);
    slowest = std::max(slowest, service);
    if (link.shared) [[likely]]
      enter(link.server, now(), service, wait);
  }
  if (observation_.on()) [[unlikely]]
    observation_.way(from, way, topology_->links, on_wire, slowest);
  return slowest + way.latency();
}

Picoseconds Cluster::processing_time(const NicProfile& p, std::int64_t bytes) {
  const Picoseconds time = transfer_time(bytes, p.processing_rate);
  if (bytes <= p.processing_chunk) return time;
  return time + (bytes - 1) / p.processing_chunk * p.processing_chunk_time;
}

void Cluster::bring_in(Nic& nic, QueuePair& qp, SplitMix& random) {
  const QueuePairCache::Place place = nic.qp_cache.bring_in(qp.handle, random);
  if (place.driven_out != QueuePairCache::kNowhere) {
    // The handle may by now be that of a queue pair with another place.
    QueuePair& other = queue_pairs_[place.driven_out];
    if (other.nic == &nic && other.cache_slot == place.slot) {
      other.cache_slot = QueuePairCache::kNowhere;
    }
  }
  qp.cache_slot = place.slot;
}

Picoseconds Cluster::queue_pair_state(Nic& nic, QueuePair& qp, Picoseconds& service,
                                      Picoseconds& wait) {
  if (qp.cache_slot != QueuePairCache::kNowhere) {
    nic.count(Counter::kQpCacheHits);
    return 0;
  }
  nic.count(Counter::kQpCacheMisses);
  bring_in(nic, qp, nic.random);
  service += nic.machine.nic.qp_miss_stall;
  enter(nic.qp_fetches, now(), nic.machine.qp_fetch_time, wait);
  if (observation_.on()) [[unlikely]]
    observation_.state_fetch(nic);
  return dma_read(Station::kQueuePairState, nic, nic.machine.nic.qp_state_bytes, wait);
}

Picoseconds Cluster::translation(Nic& nic, const Region& region, std::uint64_t address,
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

Picoseconds Cluster::request_state(Nic& nic, Picoseconds& service, Picoseconds& wait) {
  const auto entries = static_cast<std::uint32_t>(nic.machine.nic.wqe_cache_entries);
  if (nic.outstanding <= entries) return 0;
  // State that was fetched may be driven out again before it is used.
  Picoseconds latency = 0;
  while (nic.random.below(nic.outstanding) >= entries) {
    nic.count(Counter::kWqeCacheMisses);
    service += nic.machine.nic.wqe_miss_stall;
    latency += dma_read(Station::kRequestState, nic, kWqeBytes, wait);
  }
  return latency;
}

Picoseconds Cluster::dma_read(Station station, Nic& nic, std::int64_t bytes, Picoseconds& wait) {
  const CpuProfile& p = nic.machine.cpu;
  const std::int64_t down = p.read_completion_bytes(bytes);
  const std::int64_t up = p.pcie_request_header;
  nic.count(Counter::kPcieReadBytes, static_cast<std::uint64_t>(up + down));
  const Picoseconds request = transfer_time(up, nic.machine.pcie_rate);
  enter(nic.pcie_to_host, now(), request, wait);
  const Picoseconds transfer = transfer_time(down, nic.machine.pcie_rate);
  enter(nic.pcie_from_host, now(), transfer, wait);
  const Picoseconds latency = p.dma_read_latency + transfer;
  if (observation_.on()) [[unlikely]]
    observation_.dma(station, nic, request, transfer, latency);
  return latency;
}

void Cluster::fetch_receive_request(Nic& nic, Picoseconds& wait) {
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
  if (observation_.on()) [[unlikely]] {
    observation_.dma(Station::kReceiveFetch, nic, request, transfer, 0);
  }
}

Picoseconds Cluster::dma_write(Station station, Nic& nic, std::int64_t bytes, Picoseconds& wait) {
  const CpuProfile& p = nic.machine.cpu;
  const std::int64_t packets =
      bytes <= p.pcie_max_payload ? 1 : (bytes + p.pcie_max_payload - 1) / p.pcie_max_payload;
  const std::int64_t up = bytes + packets * p.pcie_request_header;
  nic.count(Counter::kPcieWriteBytes, static_cast<std::uint64_t>(up));
  const Picoseconds transfer = transfer_time(up, nic.machine.pcie_rate);
  enter(nic.pcie_to_host, now(), transfer, wait);
  const Picoseconds latency = p.dma_write_latency + transfer;
  if (observation_.on()) [[unlikely]]
    observation_.dma(station, nic, transfer, 0, latency);
  return latency;
}

}  // namespace verbena::simnic
