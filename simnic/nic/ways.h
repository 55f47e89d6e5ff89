// The ways of messages between NICs: ports, links, and what crosses them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/base/time.h"
#include "simnic/engine/timeline.h"
#include "simnic/nic/nic.h"
#include "simnic/nic/observation.h"
#include "simnic/nic/packet.h"
#include "simnic/profile/byte_time.h"
#include "simnic/profile/profile.h"
#include "simnic/wire/topology.h"

namespace verbena::simnic {

/// Sends the messages of one node over a topology. A message enters its sender's port and the links
/// that several NICs share when it is sent, and those that lead to its receiver alone when it
/// arrives.
class Ways {
 public:
  /// The arguments must outlive this.
  Ways(const FabricProfile& fabric, const Timeline& time, Observation& observation)
      : fabric_(fabric), time_(time), observation_(observation) {}

  /// Sets the network between `nics` NICs, of which the node has `own`. Must be called once, before
  /// anything is sent.
  void set_topology(Topology& topology, std::size_t own, std::size_t nics);
  /// Asks the topology again for each way that a message takes from now on.
  void forget();

  /// Bytes of a message: `header` for each packet, `extra` once, and payload.
  struct Bytes {
    std::int64_t header;
    std::int64_t extra;
    std::int64_t payload;
  };
  /// Course of a message that was sent.
  struct Sent {
    Picoseconds transit;     ///< latency and serialization; kNeverPs: a link of the way is down
    Picoseconds until_port;  ///< the caller's wait, up to leaving the port
    std::uint32_t wire_bytes;
    std::uint32_t own_links;  ///< links to its receiver alone that it enters when it arrives
  };
  /// Hands a message to the port of `from`, a NIC of this node. Raises `wait` to the delay of the
  /// longest queue met: stations work as a pipeline, so delays do not add up. Raises `spread` as
  /// pass_packets does.
  Sent send(Nic& from, Nic& to, Bytes bytes, Picoseconds& wait, Picoseconds& spread);
  /// Lets a packet enter the links that lead to `to` alone; returns the delay of the longer queue.
  Picoseconds arrive(Nic& to, const Packet& packet) {
    const Picoseconds wait =
        (packet.own_links & kOwnCable) != 0 ? enter(to.cable_link, packet) : Picoseconds(0);
    if ((packet.own_links & kOwnPort) == 0) [[likely]]
      return wait;
    return std::max(wait, enter(to.port_link, packet));
  }
  /// Returns the latency of the cables and switches from a NIC of this node to another one.
  Picoseconds latency(Nic& from, Nic& to);

 private:
  /// Lets a packet enter a link that leads to one NIC alone, since its first bytes arrived.
  Picoseconds enter(std::uint32_t number, const Packet& packet) {
    Link& link = topology_->links[number];
    const Picoseconds service = transfer_time(packet.wire_bytes, link.rate);
    const Picoseconds since = time_.now() - to_picoseconds(Nanoseconds(packet.message.spread_ns));
    const Picoseconds wait = link.server.enter(since, service);
    if (observation_.on()) [[unlikely]]
      observation_.own_link(number, link, service);
    return wait;
  }
  std::uint32_t port_link(Nic& nic);
  std::uint32_t new_path(const Nic& from, Nic& to);
  std::uint32_t& place_of(const Nic& from, const Nic& to) {
    return path_of_[from.index * nics_ + to.number];
  }
  Path path(const Nic& from, Nic& to) {
    std::uint32_t place = place_of(from, to);
    if (place == 0) [[unlikely]]
      place = new_path(from, to);
    return Path{&routes_[place - 1]};
  }

  const FabricProfile& fabric_;
  const Timeline& time_;
  Observation& observation_;
  Topology* topology_ = nullptr;
  std::size_t nics_ = 0;
  /// [NIC of this node, to]: 1 + the beginning of the route in routes_; 0: not asked for.
  std::vector<std::uint32_t> path_of_;
  std::vector<std::uint32_t> routes_;  ///< routes to all NICs that this node has met, end to end
};

}  // namespace verbena::simnic
