// Sending over a topology's links.
#include "simnic/nic/ways.h"

#include <algorithm>
#include <string>

#include "simnic/nic/packets_of_message.h"

namespace verbena::simnic {

void Ways::set_topology(Topology& topology, std::size_t own, std::size_t nics) {
  topology_ = &topology;
  nics_ = nics;
  path_of_.assign(own * nics, 0);
}

// The port of a NIC to which the network may bring more than it receives ends the way to it, as a
// link does.
std::uint32_t Ways::port_link(Nic& nic) {
  if (nic.port_link == Nic::kNoLink) {
    nic.port_link = static_cast<std::uint32_t>(topology_->links.size());
    topology_->links.push_back({.server = {}, .rate = nic.machine.ports_rate});
    topology_->link_names.push_back("port-" + std::to_string(nic.number));
    if (observation_.on())
      observation_.observer()->name_link(nic.port_link, topology_->link_names.back());
  }
  return nic.port_link;
}

std::uint32_t Ways::new_path(const Nic& from, Nic& to) {
  Route route = topology_->route(from.number, to.number);
  // A link that all messages have to themselves has no queue.
  bool own_cable = route.own_cable && !route.links.empty() &&
                   topology_->links[route.links.back()].shared &&
                   topology_->links[route.links.back()].rate != 0;
  const bool cable_is_faster =
      !route.links.empty() && topology_->links[route.links.back()].rate < to.machine.ports_rate;
  const bool ends_at_port = !route.own_cable || cable_is_faster;
  // A NIC may have several cables, of which the first to be used is its own here; what comes by
  // others enters them when it is sent.
  own_cable = own_cable && (to.cable_link == Nic::kNoLink || to.cable_link == route.links.back());
  if (own_cable && to.cable_link == Nic::kNoLink) to.cable_link = route.links.back();
  if (ends_at_port) route.links.push_back(port_link(to));
  const auto latency = static_cast<std::uint64_t>(route.latency.count());
  const auto place = static_cast<std::uint32_t>(routes_.size());
  const std::uint32_t own =
      (own_cable ? kOwnCable : kNoOwnLink) | (ends_at_port ? kOwnPort : kNoOwnLink);
  routes_.insert(routes_.end(),
                 {static_cast<std::uint32_t>(latency), static_cast<std::uint32_t>(latency >> 32),
                  static_cast<std::uint32_t>(route.links.size()), own});
  routes_.insert(routes_.end(), route.links.begin(), route.links.end());
  return place_of(from, to) = place + 1;
}

void Ways::forget() {
  std::ranges::fill(path_of_, 0);
  routes_.clear();
}

Ways::Sent Ways::send(Nic& from, Nic& to, Bytes bytes, Picoseconds& wait, Picoseconds& spread) {
  if (&from == &to) {
    if (observation_.on()) [[unlikely]] {
      observation_.delay(Station::kLoopback, from, fabric_.loopback_latency);
    }
    return {.transit = fabric_.loopback_latency,
            .until_port = wait,
            .wire_bytes = 0,
            .own_links = kNoOwnLink};
  }
  const NicProfile& p = from.machine.nic;
  const MessageSize size{.bytes = bytes.payload, .mtu = p.path_mtu};
  const std::int64_t packets = size.packets();
  const std::int64_t on_wire =
      packets * (bytes.header + p.packet_framing) + bytes.extra + bytes.payload;
  from.count(Counter::kWireBytes, static_cast<std::uint64_t>(on_wire));
  from.count(Counter::kWirePackets, static_cast<std::uint64_t>(packets));
  const Picoseconds now = time_.now();
  const Picoseconds serialization = transfer_time(on_wire, p.port_rate);
  const Picoseconds service = transfer_time(on_wire, from.machine.ports_rate);
  const Picoseconds packet =
      packets == 1
          ? service
          : transfer_time(bytes.header + p.packet_framing + p.path_mtu, from.machine.ports_rate);
  from.longest_packet = from.port.free_at() <= now ? packet : std::max(packet, from.longest_packet);
  wait = std::max(wait, from.port.enter(now, service));
  const Path way = path(from, to);
  Sent sent{.transit = kNeverPs,
            .until_port = wait,
            .wire_bytes = static_cast<std::uint32_t>(on_wire),
            .own_links = way.own()};
  const std::uint32_t* const links = way.links();
  const std::uint32_t count = way.count();
  const std::uint32_t entered = way.shared();
  Link* const all_links = topology_->links.data();
  // Packets are cut through: behind the slowest link only the queues count.
  Picoseconds slowest = serialization;
  for (std::uint32_t i = 0; i < count; ++i) {
    Link& link = all_links[links[i]];
    if (!link.up) return sent;
    if (link.rate == 0) continue;
    const Picoseconds service = transfer_time(on_wire, link.rate);
    slowest = std::max(slowest, service);
    if (i < entered && link.shared) wait = std::max(wait, link.server.enter(now, service));
  }
  const Picoseconds transfer = pass_packets(slowest, size, spread);
  if (observation_.on()) [[unlikely]]
    observation_.way(from, way, topology_->links, on_wire, transfer);
  sent.transit = transfer + way.latency();
  return sent;
}

Picoseconds Ways::latency(Nic& from, Nic& to) {
  return &from == &to ? fabric_.loopback_latency : path(from, to).latency();
}

}  // namespace verbena::simnic
