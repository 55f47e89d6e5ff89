// What a node knows of its peers after bring-up.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <vector>

#include "rdma/base/types.h"

namespace verbena::rdma {

/// Shared by the workers of a node; constant once connected.
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
  struct DatagramAddress {
    std::uint32_t qp_number;
    std::uint16_t tag;
  };

  std::uint32_t nics = 0;
  std::uint32_t workers = 0;
  std::uint32_t regions = 0;  ///< with the control region, which is the last

  std::vector<RegionAddress> region_addresses;  ///< [peer * regions + region]
  std::vector<PortAddress> ports;               ///< [peer * nics + nic]
  std::vector<DatagramAddress> datagrams;       ///< [worker * nodes + peer]
  std::vector<std::uint32_t> remote_keys;       ///< [(worker * nodes + peer) * regions + region]
  std::uint32_t nodes = 0;

  const RegionAddress& region(NodeId peer, RegionId region) const {
    return region_addresses[std::size_t{peer} * regions + region];
  }
  const PortAddress& port(NodeId peer, std::uint32_t nic) const {
    return ports[std::size_t{peer} * nics + nic];
  }
  const DatagramAddress& datagram(WorkerId worker, NodeId peer) const {
    return datagrams[std::size_t{worker} * nodes + peer];
  }
  /// Keys of `worker`'s peers: [peer * regions + region].
  const std::uint32_t* keys(WorkerId worker) const {
    return remote_keys.data() + std::size_t{worker} * nodes * regions;
  }
};

/// Authorizes datagrams among the workers.
inline constexpr std::uint32_t kQueueKey = 0x76726261;

}  // namespace verbena::rdma
