// A node's knowledge of its peers after bring-up: addresses, keys, numbers of queue pairs.
#pragma once

#include <infiniband/verbs.h>

#include <cassert>
#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/device/cluster_links.h"

namespace verbena::rdma {

/// Shared by the workers of a node; constant once connected. Holds connected nodes only, except for
/// `places`; ClusterLinks defines places and numbers of links.
struct PeerTable {
  struct RegionAddress {
    std::uint64_t base;
    std::uint64_t bytes;
  };
  struct PortAddress {
    ibv_gid gid;
    std::uint16_t lid;
    ibv_mtu mtu;
    std::uint8_t responder_reads;  ///< READs and atomics that it serves at a time
  };
  /// Address at which a worker takes messages (RpcTransport).
  struct MessageAddress {
    std::uint32_t qp_number;      ///< of datagrams
    std::uint16_t tag;            ///< of datagrams
    std::uint16_t notify_window;  ///< unacknowledged notifications that it accepts of each sender
  };
  /// Rings of a worker into which messages are written.
  struct MessageRings {
    std::uint64_t begin;
    std::uint64_t key;
  };

  /// Makes a table for the connections of `node`, with room for what is to be learnt; for rings, if
  /// messages are `written`. No peer has more than `region_count` regions.
  PeerTable(const ClusterLinks& connections, NodeId node, std::uint32_t region_count, bool written);

  std::uint32_t nics;     ///< of the node with most NICs
  std::uint32_t regions;  ///< of the node with most regions, its control region included
  std::uint32_t links;    ///< link numbers of a worker

  std::vector<NodeId> peers;          ///< [place]
  std::vector<std::uint16_t> places;  ///< [node]; ClusterLinks::kNone where there is no connection
  /// [place * regions + region]; 0 B where there is none
  std::vector<RegionAddress> region_addresses;
  std::vector<RegionId> control_regions;          ///< [place]; the peer's last
  std::vector<PortAddress> ports;                 ///< [place * nics + nic]
  std::vector<MessageAddress> message_addresses;  ///< [worker * links + link]
  std::vector<MessageRings> message_rings;        ///< likewise; empty where none are written
  std::vector<std::uint32_t> remote_keys;         ///< [(worker * peers + place) * regions + region]

  /// Returns kNone for a node that does not exist, too.
  std::uint16_t place(NodeId node) const {
    return node < places.size() ? places[node] : ClusterLinks::kNone;
  }
  /// Throws std::logic_error when there is no connection.
  std::uint16_t connected_place(NodeId node) const {
    const std::uint16_t found = place(node);
    if (found == ClusterLinks::kNone) throw_unconnected(node);
    return found;
  }
  const RegionAddress& region(std::uint16_t place, RegionId region) const {
    assert(region < regions);
    return region_addresses[std::size_t{place} * regions + region];
  }
  const PortAddress& port(std::uint16_t place, std::uint32_t nic) const {
    return ports[std::size_t{place} * nics + nic];
  }
  const MessageAddress& messages(WorkerId worker, std::uint16_t link) const {
    return message_addresses[std::size_t{worker} * links + link];
  }
  const MessageRings& rings(WorkerId worker, std::uint16_t link) const {
    return message_rings[std::size_t{worker} * links + link];
  }
  /// Keys that `worker` uses: [place * regions + region].
  const std::uint32_t* keys(WorkerId worker) const {
    return remote_keys.data() + std::size_t{worker} * peers.size() * regions;
  }

  [[noreturn]] void throw_unconnected(NodeId node) const;
};

/// Queue key that authorizes datagrams among the workers.
inline constexpr std::uint32_t kQueueKey = 0x76726261;

}  // namespace verbena::rdma
